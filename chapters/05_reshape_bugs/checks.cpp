#include "checks.hpp"

#include "mha/generator.hpp"
#include "mha/measure.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gallery {

// [tolerance]
using mha::AttendMask;
using mha::BoolMatrix;
using mha::Causal;
using mha::max_abs_difference;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();

// Double precision, sums of at most some hundred numbers of size about 1.
constexpr double rounding = 1e-12;

// The comparison, written so that NaN counts as far.
bool far(double got, double expected) {
  return !(std::abs(got - expected) <= rounding);
}

bool differ(const Numbers& a, const Numbers& b) {
  return a.rows() != b.rows() || a.cols() != b.cols() ||
         !(max_abs_difference(a, b) <= rounding);
}
}  // namespace
// [tolerance]

// [make inputs]
Call fixture() {
  Call call = {.q = Numbers(3, 8), .k = Numbers(3, 8), .v = Numbers(3, 8)};
  call.n_heads = call.n_kv_heads = 2;
  for (int t = 0; t < 3; ++t) {
    for (int c = 0; c < 8; ++c) {
      call.q(t, c) = ((3 * t + 2 * c) % 7 - 3) / 2.0;
      call.k(t, c) = ((5 * t + 3 * c + 1) % 7 - 3) / 2.0;
      call.v(t, c) = t + c / 8.0;
    }
  }
  return call;
}

Call random_call(std::uint32_t seed, Index batch, Index t_q, Index n_heads,
                 Index d_head, Index t_k, Index n_kv_heads) {
  mha::TorchGenerator generator(seed);
  if (t_k == 0) t_k = t_q;
  if (n_kv_heads == 0) n_kv_heads = n_heads;
  const auto draw = [&](Index rows, Index heads) -> Numbers {
    return generator.normal(rows, heads * d_head).cast<double>();
  };
  return {.q = draw(batch * t_q, n_heads), .k = draw(batch * t_k, n_kv_heads),
          .v = draw(batch * t_k, n_kv_heads), .batch = batch,
          .kv_batch = batch, .n_heads = n_heads, .n_kv_heads = n_kv_heads};
}
// [make inputs]

// [make rows]
Call one_row(const std::vector<double>& scores) {
  const Index n = static_cast<Index>(scores.size());
  Call call = {.q = Numbers::Ones(1, 1), .k = Numbers(n, 1),
               .v = Numbers(n, 1)};
  for (Index j = 0; j < n; ++j) {
    call.k(j, 0) = scores[static_cast<std::size_t>(j)];
    call.v(j, 0) = static_cast<double>(j);
  }
  return call;
}

namespace {

// "0.000 1.000 0.000"
std::string text(const Numbers& row) {
  std::string line;
  for (const double x : row.reshaped<Eigen::RowMajor>()) {
    if (!line.empty()) line += " ";
    line += std::isnan(x) ? "NaN" : fmt::format("{:.3f}", x);
  }
  return line;
}

std::string row_finding(const std::string& what, const Numbers& expected,
                        const Numbers& got) {
  return differ(expected, got)
             ? fmt::format("{}: expected {}, got {}", what, text(expected),
                           text(got))
             : "";
}
// [make rows]

// [asked for]
// The output and the first map, or an exception when their shape is wrong.
void need_shape(const std::string& what, const Numbers& got, Index rows,
                Index cols) {
  if (got.rows() == rows && got.cols() == cols) return;
  throw std::runtime_error(fmt::format("{} is {} x {}, expected {} x {}", what,
                                       got.rows(), got.cols(), rows, cols));
}

Numbers output_of(const Attention& attention, const Call& call) {
  Answer answer = attention(call);
  need_shape("the output", answer.output, call.q.rows(), call.q.cols());
  return answer.output;
}

Numbers first_map(const Attention& attention, const Call& call) {
  const Answer answer = attention(call);
  if (answer.weights.empty()) throw std::runtime_error("no map came back");
  need_shape("the map of head 0", answer.weights[0], tokens_of(call),
             keys_of(call));
  return answer.weights[0];
}
// [asked for]

// [definition]
// The definition, term by term, with the softmax as it is on paper. Knows no
// masks.
Numbers by_definition(const Call& call) {
  const Index t_q = tokens_of(call), t_k = keys_of(call), d = d_head_of(call);
  Numbers output = Numbers::Zero(call.q.rows(), call.q.cols());
  for (Index row = 0; row < output.rows(); ++row)
    for (Index h = 0; h < call.n_heads; ++h) {
      const Index first = row / t_q * t_k;  // key 0 of this item
      const Index kv = h / (call.n_heads / call.n_kv_heads);
      double total = 0;
      for (Index j = first; j < first + t_k; ++j) {
        double dot = 0;
        for (Index c = 0; c < d; ++c)
          dot += call.q(row, h * d + c) * call.k(j, kv * d + c);
        const double e = std::exp(dot / std::sqrt(static_cast<double>(d)));
        total += e;
        for (Index c = 0; c < d; ++c)
          output(row, h * d + c) += e * call.v(j, kv * d + c);
      }
      output.row(row).segment(h * d, d) /= total;
    }
  return output;
}
// [definition]

// [it equals the loop over heads, with sizes that all differ]
std::string equals_the_definition(const Attention& attention) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const Call call = random_call(seed, 2, 5, 3, 4);
    const Numbers expected = by_definition(call);
    const Numbers got = output_of(attention, call);
    if (differ(expected, got)) {
      return fmt::format("2 items of 5 tokens, 3 heads of 4: the output is "
                         "off by {:.2g}", max_abs_difference(expected, got));
    }
  }
  return "";
}
// [it equals the loop over heads, with sizes that all differ]

// [token 0 of the output holds row 0 of every head]
std::string token_0(const Attention& attention) {
  Call call = {.q = Numbers::Identity(2, 2).replicate(1, 2) * 1000};
  call.k = call.q;  // so each token looks at itself
  call.v = Numbers(2, 4);
  call.v << 0, 1, 4, 5,  // token 0: rows 0 of head 0 and head 1
      2, 3, 6, 7;        // token 1
  call.n_heads = call.n_kv_heads = 2;
  return row_finding("token 0", call.v.row(0),
                     output_of(attention, call).row(0));
}
// [token 0 of the output holds row 0 of every head]

// [every row of weights sums to 1]
std::string rows_sum_to_1(const Attention& attention) {
  Call call = random_call(6, 2, 5, 3, 4, 7);
  call.options.causal = Causal::bottom_right;
  call.training = true;
  call.dropout = 0.1;
  const Answer answer = attention(call);
  for (const Numbers& map : answer.weights)
    for (Index i = 0; i < map.rows(); ++i) {
      if (far(map.row(i).sum(), 1)) {
        return fmt::format("row {} of a map sums to {:.3f}", i,
                           map.row(i).sum());
      }
    }
  return "";
}
// [every row of weights sums to 1]

// [the weights have one map a head and one column a key]
std::string shape_of_weights(const Attention& attention) {
  const Call call = random_call(7, 2, 5, 6, 4, 7, 3);
  const auto weights = attention(call).weights;
  if (weights.size() != 12) {
    return fmt::format("2 items of 6 heads: expected 12 maps, got {}",
                       weights.size());
  }
  for (const Numbers& map : weights) {
    if (map.rows() != 5 || map.cols() != 7) {
      return fmt::format("5 queries, 7 keys: expected maps of 5 x 7, got "
                         "{} x {}", map.rows(), map.cols());
    }
  }
  return "";
}
// [the weights have one map a head and one column a key]

// [each map times its head's values gives its head's output]
std::string weights_make_the_output(const Attention& attention) {
  const Call call = random_call(8, 1, 5, 3, 4);
  const Answer answer = attention(call);
  need_shape("the output", answer.output, 5, 12);
  for (Index h = 0; h < 3; ++h) {
    const Numbers& map = answer.weights.at(static_cast<std::size_t>(h));
    need_shape("a map", map, 5, 5);
    const Numbers again = map * call.v.middleCols(4 * h, 4);
    if (differ(again, answer.output.middleCols(4 * h, 4))) {
      return fmt::format("the map returned for head {} is not the one that "
                         "made its output", h);
    }
  }
  return "";
}
// [each map times its head's values gives its head's output]

// [a causal row does not depend on later tokens]
std::string later_tokens(const Attention& attention) {
  Call call = random_call(9, 1, 5, 3, 4);
  call.options.causal = Causal::bottom_right;
  const Numbers before = output_of(attention, call);
  call.k.row(4).setConstant(3);
  call.v.row(4).setConstant(9);
  const Numbers after = output_of(attention, call);
  for (Index t = 0; t < 4; ++t) {
    if (differ(before.row(t), after.row(t))) {
      return fmt::format("token 4 was changed, and row {} changed with it", t);
    }
  }
  return "";
}
// [a causal row does not depend on later tokens]

// [one query behind a cache sees every key]
std::string decoding(const Attention& attention) {
  Call call = random_call(10, 1, 1, 3, 4, 4);
  call.options.causal = Causal::bottom_right;
  const Numbers got = first_map(attention, call);
  call.options.causal = Causal::none;
  return row_finding("1 query, 4 keys, bottom-right",
                     first_map(attention, call), got);
}
// [one query behind a cache sees every key]

// [queries before the first key get zeros]
std::string queries_before_keys(const Attention& attention) {
  Call call = random_call(11, 1, 4, 1, 3, 2);
  call.k.setZero();  // equal scores: a row shares out evenly
  call.options.causal = Causal::bottom_right;
  Numbers expected(4, 2);
  expected << 0, 0, 0, 0, 1, 0, 0.5, 0.5;
  return row_finding("4 queries, 2 keys, bottom-right", expected,
                     first_map(attention, call));
}
// [queries before the first key get zeros]

// [a hidden key gets a weight of exactly 0]
std::string hidden_keys(const Attention& attention) {
  Call call = one_row({1, 2, 3});
  BoolMatrix attends(1, 3);
  attends << true, false, true;
  call.options.pairs = AttendMask::where_true_attends(attends);
  const double hidden = first_map(attention, call)(0, 1);
  Call causal = random_call(12, 1, 3, 1, 2);
  causal.options.causal = Causal::top_left;
  const double later = first_map(attention, causal)(0, 2);
  if (hidden == 0 && later == 0) return "";
  return fmt::format("a key hidden by the mask has weight {:.3g}, one hidden "
                     "as later {:.3g}", hidden, later);
}
// [a hidden key gets a weight of exactly 0]

// [padding hides what the same mask, written out, hides]
std::string padding(const Attention& attention) {
  Call padded = random_call(13, 1, 3, 2, 4);
  Call written = padded;
  padded.padding = BoolMatrix(1, 3);
  padded.padding << true, true, false;
  const BoolMatrix every_row = padded.padding.replicate(3, 1);
  written.options.pairs = AttendMask::where_true_attends(every_row);
  return row_finding("weights of query 0",
                     first_map(attention, written).row(0),
                     first_map(attention, padded).row(0));
}
// [padding hides what the same mask, written out, hides]

// [a query with every key hidden gets zeros and disturbs no other]
std::string empty_row(const Attention& attention) {
  Call call = random_call(14, 1, 4, 1, 4);
  BoolMatrix attends = BoolMatrix::Constant(4, 4, true);
  attends.row(1).setConstant(false);
  call.options.pairs = AttendMask::where_true_attends(attends);
  const std::string found =
      row_finding("row 1, all hidden", Numbers::Zero(1, 4),
                  output_of(attention, call).row(1));
  if (!found.empty()) return found;
  call.options.pairs = {};
  call.options.causal = Causal::top_left;
  call.padding = BoolMatrix::Constant(1, 4, true);
  call.padding(0, 0) = false;
  return row_finding("padding first, causal: row 0", Numbers::Zero(1, 4),
                     output_of(attention, call).row(0));
}
// [a query with every key hidden gets zeros and disturbs no other]

// [an added mask adds, and minus infinity hides]
std::string added_mask(const Attention& attention) {
  Call call = one_row({0, 0, 0});
  call.options.bias = Numbers(1, 3);
  call.options.bias << 0, std::log(3.0), -inf;
  Numbers expected(1, 3);
  expected << 0.25, 0.75, 0;
  return row_finding("equal scores plus (0, ln 3, minus infinity)", expected,
                     first_map(attention, call));
}
// [an added mask adds, and minus infinity hides]

// [NaN behind a mask does not leak]
std::string nan_behind_a_mask(const Attention& attention) {
  Call call = one_row({1, 2, 0});
  call.padding = BoolMatrix(1, 3);
  call.padding << true, true, false;
  const Numbers clean = output_of(attention, call);
  call.v(2, 0) = std::nan("");
  return row_finding("value 2 hidden, and NaN", clean,
                     output_of(attention, call));
}
// [NaN behind a mask does not leak]

// [items of a batch do not see each other]
std::string items(const Attention& attention) {
  Call call = random_call(15, 2, 5, 3, 4);
  const Numbers before = output_of(attention, call).topRows(5);
  call.k.bottomRows(5).setConstant(3);
  call.v.bottomRows(5).setConstant(9);
  const Numbers after = output_of(attention, call).topRows(5);
  return differ(before, after) ? "item 1 was changed, and item 0 changed" : "";
}
// [items of a batch do not see each other]

// [batches of different sizes are refused]
std::string different_batches(const Attention& attention) {
  Call call = random_call(16, 4, 3, 2, 4);
  call.q = call.q.topRows(3).eval();
  call.batch = 1;
  try {
    attention(call);
  } catch (const std::invalid_argument&) {
    return "";
  }
  return "queries for 1 item, keys for 4: accepted without a word";
}
// [batches of different sizes are refused]

// [a head count that does not divide the width is refused]
std::string uneven_heads(const Attention& attention) {
  Call call = random_call(17, 1, 3, 1, 8);
  call.n_heads = call.n_kv_heads = 3;
  try {
    attention(call);
  } catch (const std::invalid_argument&) {
    return "";
  }
  return "8 columns for 3 heads: accepted without a word";
}
// [a head count that does not divide the width is refused]

// [asking for the weights changes no output]
std::string asking_for_weights(const Attention& attention) {
  Call call = random_call(18, 1, 5, 3, 4);
  call.options.causal = Causal::bottom_right;
  const Numbers with_weights = output_of(attention, call);
  call.need_weights = false;
  return differ(with_weights, output_of(attention, call))
             ? "the output is another when the weights are not asked for"
             : "";
}
// [asking for the weights changes no output]

// [two calls outside training are equal]
std::string two_calls(const Attention& attention) {
  Call call = random_call(19, 1, 5, 3, 4);
  call.dropout = 0.5;
  const Numbers first = output_of(attention, call);
  call.seed = 1;
  return first == output_of(attention, call)
             ? ""
             : "two calls when testing differ";
}
// [two calls outside training are equal]

// [the scale is one over the root of d_head]
std::string scale(const Attention& attention) {
  Call call = random_call(20, 1, 1, 2, 4, 2);
  call.q.setConstant(1);
  call.k.setZero();
  call.k.row(1).setConstant(std::log(3.0) / 2);  // dot product 2 ln 3
  Numbers expected(1, 2);
  expected << 0.25, 0.75;  // so the scaled scores are 0 and ln 3
  return row_finding("dot products 0 and 2 ln 3, d_head 4", expected,
                     first_map(attention, call));
}
// [the scale is one over the root of d_head]

// [a scale that is given is used]
std::string given_scale(const Attention& attention) {
  Call call = one_row({0, 1});
  call.options.scale = std::log(3.0);
  Numbers expected(1, 2);
  expected << 0.25, 0.75;
  return row_finding("dot products 0 and 1, scale ln 3", expected,
                     first_map(attention, call));
}
// [a scale that is given is used]

// [query head h reads key/value head h / (H / G)]
std::string kv_heads(const Attention& attention) {
  Call call = random_call(21, 1, 1, 4, 1, 1, 2);
  call.v << 0, 1;  // what the two key/value heads hand over
  Numbers expected(1, 4);
  expected << 0, 0, 1, 1;
  return row_finding("4 query heads, 2 key/value heads", expected,
                     output_of(attention, call));
}
// [query head h reads key/value head h / (H / G)]

// [scores of 1000 and 1001 do not overflow]
std::string large_scores(const Attention& attention) {
  const double e = std::exp(-1.0);
  Numbers expected(1, 2);
  expected << e / (1 + e), 1 / (1 + e);
  return row_finding("scores 1000 and 1001", expected,
                     first_map(attention, one_row({1000, 1001})));
}
// [scores of 1000 and 1001 do not overflow]

// [scores far below zero still share out 1]
std::string low_scores(const Attention& attention) {
  const Numbers expected = Numbers::Constant(1, 3, 1.0 / 3);
  return row_finding("three scores of -1000", expected,
                     first_map(attention, one_row({-1000, -1000, -1000})));
}
// [scores far below zero still share out 1]

// [keys hidden at the start of a row change nothing]
std::string hidden_first(const Attention& attention) {
  Call call = one_row({5, 5, 1, 2});
  call.padding = BoolMatrix(1, 4);
  call.padding << false, false, true, true;
  const double e = std::exp(-1.0);
  Numbers expected(1, 4);
  expected << 0, 0, e / (1 + e), 1 / (1 + e);
  return row_finding("two hidden keys, then scores 1 and 2", expected,
                     first_map(attention, call));
}
// [keys hidden at the start of a row change nothing]

// [a single key hands over its value, however large the score]
std::string single_key(const Attention& attention) {
  Call call = one_row({1e200});
  call.q *= 1e200;  // the score is infinite
  call.v(0, 0) = 7;
  return row_finding("one key", Numbers::Constant(1, 1, 7),
                     output_of(attention, call));
}
// [a single key hands over its value, however large the score]

// [entries of size 48 do not overflow at width 64]
std::string sixteen_bits(const Attention& attention) {
  Call call = {.q = Numbers::Constant(1, 64, 48.0),
               .k = Numbers::Constant(2, 64, 48.0),
               .v = Numbers::Identity(2, 64)};
  call.k.row(1).setConstant(44);  // scores 18,432 and 16,896
  Numbers expected(1, 2);
  expected << 1, 0;
  return row_finding("dot products 147,456 and 135,168", expected,
                     first_map(attention, call));
}
// [entries of size 48 do not overflow at width 64]

}  // namespace

// [all checks]
const std::vector<Check>& checks() {
  static const std::vector<Check> all = {
      {"it equals the loop over heads, with sizes that all differ",
       equals_the_definition},
      {"token 0 of the output holds row 0 of every head", token_0},
      {"query head h reads key/value head h / (H / G)", kv_heads},
      {"items of a batch do not see each other", items},
      {"batches of different sizes are refused", different_batches},
      {"a head count that does not divide the width is refused",
       uneven_heads},
      {"the scale is one over the root of d_head", scale},
      {"a scale that is given is used", given_scale},
      {"a hidden key gets a weight of exactly 0", hidden_keys},
      {"padding hides what the same mask, written out, hides", padding},
      {"an added mask adds, and minus infinity hides", added_mask},
      {"a causal row does not depend on later tokens", later_tokens},
      {"one query behind a cache sees every key", decoding},
      {"queries before the first key get zeros", queries_before_keys},
      // [all checks]
      // [more checks]
      {"a query with every key hidden gets zeros and disturbs no other",
       empty_row},
      {"NaN behind a mask does not leak", nan_behind_a_mask},
      {"every row of weights sums to 1", rows_sum_to_1},
      {"scores of 1000 and 1001 do not overflow", large_scores},
      {"scores far below zero still share out 1", low_scores},
      {"keys hidden at the start of a row change nothing", hidden_first},
      {"a single key hands over its value, however large the score",
       single_key},
      {"entries of size 48 do not overflow at width 64", sixteen_bits},
      {"the weights have one map a head and one column a key",
       shape_of_weights},
      {"each map times its head's values gives its head's output",
       weights_make_the_output},
      {"asking for the weights changes no output", asking_for_weights},
      {"two calls outside training are equal", two_calls},
  };
  return all;
}
// [more checks]

// [finding]
const Check& check_named(const std::string& sentence) {
  for (const Check& check : checks()) {
    if (check.sentence == sentence) return check;
  }
  throw std::logic_error("no check is called \"" + sentence + "\"");
}

std::string finding(const Check& check, const Attention& attention) {
  try {
    return check.find(attention);
  } catch (const std::exception& error) {
    return error.what();
  }
}
// [finding]

}  // namespace gallery
