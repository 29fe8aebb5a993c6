#include "mha/battery.hpp"
#include "mha/generator.hpp"
#include "mha/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mha {
namespace {

// [random table]
// About `share` of the entries are true.
BoolMatrix random_table(std::uint32_t seed, Index rows, Index cols,
                        float share) {
  return TorchGenerator(seed).uniform(rows, cols, 0, 1).array() < share;
}
// [random table]

// [mask a call]
enum class Masks { causal, pairs, padding, bias, all };

// The call with masks of one kind, or with every kind that may be asked.
AttentionCall masked(AttentionCall call, Masks masks, const Abilities& can) {
  const Index t_q = tokens_of(call), t_k = keys_of(call);
  const auto wanted = [&](Masks one, bool able) {
    return able && (masks == one || masks == Masks::all);
  };
  if (wanted(Masks::causal, can.causal)) {
    call.options.causal = Causal::bottom_right;
  }
  if (wanted(Masks::pairs, can.pairs)) {
    call.options.pairs =
        AttendMask::where_true_attends(random_table(41, t_q, t_k, 0.7F));
  }
  if (wanted(Masks::padding, can.padding)) {
    call.padding = random_table(42, call.batch, t_k, 0.8F);
  }
  if (wanted(Masks::bias, can.bias)) {
    call.options.bias = TorchGenerator(43).normal(t_q, t_k).cast<double>();
  }
  return call;
}
// [mask a call]

// [with every mask it can take, it equals the loop over heads]
std::string equals_with_masks(Trial& trial) {
  for (const Masks masks : {Masks::causal, Masks::pairs, Masks::padding,
                            Masks::bias, Masks::all}) {
    const AttentionCall call =
        masked(trial.random_input(31), masks, trial.abilities());
    const Matrix<double> expected = by_definition(call);
    Matrix<double> got = trial.output(call);
    if (!trial.abilities().empty_rows) {
      // Only a row that sees nothing is all zeros.
      const BoolMatrix empty = expected.array() == 0;
      got = empty.select(expected, got);
    }
    if (trial.differ(expected, got)) {
      return fmt::format("the output is off by {:.2g}",
                         max_abs_difference(expected, got));
    }
  }
  return "";
}
// [with every mask it can take, it equals the loop over heads]

// [a hidden key gets a weight of exactly 0]
std::string hidden_keys(Trial& trial) {
  AttentionCall call = one_row({1, 2, 3});
  BoolMatrix attends(1, 3);
  attends << true, false, true;
  call.options.pairs = AttendMask::where_true_attends(attends);
  const double hidden = trial.first_map(call)(0, 1);
  if (hidden == 0) return "";
  return fmt::format("a key hidden by the mask has weight {:.3g}", hidden);
}

std::string later_keys(Trial& trial) {
  AttentionCall call = random_call(12, {.t_q = 3, .d_head = 2});
  call.options.causal = Causal::bottom_right;
  const double later = trial.first_map(call)(0, 2);
  if (later == 0) return "";
  return fmt::format("a key hidden as later has weight {:.3g}", later);
}
// [a hidden key gets a weight of exactly 0]

// [padding hides what the same mask, written out, hides]
std::string padding(Trial& trial) {
  AttentionCall both = trial.random_input(13);
  const Index t_q = tokens_of(both), t_k = keys_of(both);
  both.padding = BoolMatrix::Constant(both.batch, t_k, true);
  for (Index b = 0; b < both.batch; ++b) {  // item b has b + 1 empty places
    both.padding.row(b).tail(std::min(b + 1, t_k - 1)).setConstant(false);
  }
  const Matrix<double> got = trial.output(both);
  for (Index b = 0; b < both.batch; ++b) {
    AttentionCall alone = both;
    alone.batch = alone.kv_batch = 1;
    alone.q = both.q.middleRows(t_q * b, t_q).eval();
    alone.k = both.k.middleRows(t_k * b, t_k).eval();
    alone.v = both.v.middleRows(t_k * b, t_k).eval();
    alone.padding.resize(0, 0);
    const BoolMatrix every_row = both.padding.row(b).replicate(t_q, 1);
    alone.options.pairs = AttendMask::where_true_attends(every_row);
    // [padding hides what the same mask, written out, hides]
    // [padding, compared]
    const Matrix<double> expected = trial.output(alone);
    for (Index i = 0; i < t_q; ++i) {
      const std::string found =
          trial.compare(fmt::format("item {}, query {}", b, i),
                        expected.row(i), got.row(t_q * b + i));
      if (found.empty()) continue;
      trial.ask(both);  // the input to show
      return found;
    }
  }
  return "";
}
// [padding, compared]

// [an added mask adds, and minus infinity hides]
std::string added_mask(Trial& trial) {
  AttentionCall call = one_row({0, 0, 0});
  call.options.bias = Matrix<double>(1, 3);
  call.options.bias << 0, std::log(3.0),
      -std::numeric_limits<double>::infinity();
  // So the weights are 1/4, 3/4 and 0, of the values 0, 1 and 2.
  return trial.compare("equal scores plus (0, ln 3, minus infinity)",
                       Matrix<double>::Constant(1, 1, 0.75),
                       trial.output(call));
}
// [an added mask adds, and minus infinity hides]

// [a causal row does not depend on later tokens]
std::string later_tokens(Trial& trial) {
  AttentionCall call = trial.random_input(9);
  const Index t_q = tokens_of(call), t_k = keys_of(call);
  if (t_q < 2 || t_k < 2) return "";
  call.options.causal = Causal::bottom_right;
  const Matrix<double> before = trial.output(call);
  for (Index b = 0; b < call.batch; ++b) {
    call.k.row(b * t_k + t_k - 1).setConstant(3);
    call.v.row(b * t_k + t_k - 1).setConstant(9);
  }
  const Matrix<double> after = trial.output(call);
  for (Index row = 0; row < before.rows(); ++row) {
    if (row % t_q == t_q - 1) continue;
    if (trial.differ(before.row(row), after.row(row))) {
      return fmt::format("the last token was changed, and row {} changed "
                         "with it", row % t_q);
    }
  }
  return "";
}
// [a causal row does not depend on later tokens]

// [one query behind a cache sees every key]
std::string decoding(Trial& trial) {
  AttentionCall call =
      random_call(10, {.t_q = 1, .t_k = 4, .n_heads = 3, .d_head = 4});
  call.options.causal = Causal::none;
  const Matrix<double> expected = trial.output(call);
  call.options.causal = Causal::bottom_right;
  return trial.compare("1 query, 4 keys, bottom-right", expected,
                       trial.output(call));
}
// [one query behind a cache sees every key]

// [reading in pieces equals reading at once]
std::string in_pieces(Trial& trial) {
  AttentionCall whole = trial.random_input(22);
  const Index t_q = tokens_of(whole);
  if (whole.batch > 1 || t_q < 2) return "";
  whole.options.causal = Causal::bottom_right;
  const Matrix<double> expected = trial.output(whole);
  for (Index last = 1; last < std::min<Index>(t_q, 4); ++last) {
    AttentionCall piece = whole;  // the others are in the cache
    piece.q = whole.q.bottomRows(last).eval();
    const Matrix<double> got = trial.output(piece);
    if (trial.differ(expected.bottomRows(last), got)) {
      return fmt::format("{} tokens behind {} in the cache: off by {:.2g} "
                         "from reading {} at once",
                         last, keys_of(whole) - last,
                         max_abs_difference(expected.bottomRows(last), got),
                         t_q);
    }
  }
  return "";
}
// [reading in pieces equals reading at once]

// [queries before the first key get zeros]
std::string queries_before_keys(Trial& trial) {
  AttentionCall call = random_call(11, {.t_q = 4, .t_k = 2, .d_head = 3});
  call.k.setZero();  // equal scores: a row shares out evenly
  call.v << 1, 1, 1, 3, 3, 3;
  call.options.causal = Causal::bottom_right;
  Matrix<double> expected(4, 3);
  expected << 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2;
  return trial.compare("4 queries, 2 keys, bottom-right", expected,
                       trial.output(call));
}
// [queries before the first key get zeros]

// [a query with every key hidden gets zeros and disturbs no other]
std::string empty_row(Trial& trial) {
  AttentionCall call = random_call(14, {.t_q = 4, .d_head = 4});
  BoolMatrix attends = BoolMatrix::Constant(4, 4, true);
  attends.row(1).setConstant(false);
  call.options.pairs = AttendMask::where_true_attends(attends);
  return trial.compare("row 1, all hidden", Matrix<double>::Zero(1, 4),
                       trial.output(call).row(1));
}

std::string empty_causal_row(Trial& trial) {
  AttentionCall call = random_call(14, {.t_q = 4, .d_head = 4});
  call.options.causal = Causal::bottom_right;
  call.padding = BoolMatrix::Constant(1, 4, true);
  call.padding(0, 0) = false;
  return trial.compare("padding first, causal: row 0",
                       Matrix<double>::Zero(1, 4), trial.output(call).row(0));
}
// [a query with every key hidden gets zeros and disturbs no other]

// [NaN behind a mask does not leak]
std::string nan_behind_a_mask(Trial& trial) {
  AttentionCall call = trial.random_input(23);
  const Index t_k = keys_of(call);
  if (t_k < 2) return "";
  call.padding = BoolMatrix::Constant(call.batch, t_k, true);
  call.padding.col(t_k - 1).setConstant(false);
  const Matrix<double> clean = trial.output(call);
  for (Index b = 0; b < call.batch; ++b) {
    call.v.row(b * t_k + t_k - 1).setConstant(std::nan(""));
  }
  return trial.compare("the last value hidden, and NaN", clean,
                       trial.output(call));
}
// [NaN behind a mask does not leak]

}  // namespace

// [mask checks]
std::vector<Check> mask_checks() {
  using A = Abilities;
  const std::string page = "05b_wrong_masks";
  return {
      {"with every mask it can take, it equals the loop over heads",
       equals_with_masks, {}, true, page},
      {"a hidden key gets a weight of exactly 0", hidden_keys,
       {&A::pairs, &A::weights, &A::cross}, false, page},
      {"a later key gets a weight of exactly 0", later_keys,
       {&A::causal, &A::weights}, false, page},
      {"padding hides what the same mask, written out, hides", padding,
       {&A::padding, &A::pairs}, true, page},
      {"an added mask adds, and minus infinity hides", added_mask,
       {&A::bias, &A::cross}, false, page},
      {"a causal row does not depend on later tokens", later_tokens,
       {&A::causal}, true, page},
      {"one query behind a cache sees every key", decoding,
       {&A::causal, &A::cross}, false, page},
      // [mask checks]
      // [more mask checks]
      {"reading in pieces equals reading at once", in_pieces,
       {&A::causal, &A::cross}, true, page},
      {"queries before the first key get zeros", queries_before_keys,
       {&A::causal, &A::cross, &A::empty_rows}, false, page},
      {"a query with every key hidden gets zeros and disturbs no other",
       empty_row, {&A::pairs, &A::empty_rows}, false, page},
      {"a query with every earlier key hidden gets zeros", empty_causal_row,
       {&A::causal, &A::padding, &A::empty_rows}, false, page},
      {"NaN behind a mask does not leak", nan_behind_a_mask,
       {&A::padding, &A::hidden_nan}, true, page}};
}
// [more mask checks]

}  // namespace mha
