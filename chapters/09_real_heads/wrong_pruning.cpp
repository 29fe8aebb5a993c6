#include "wrong_pruning.hpp"

#include "mha/measure.hpp"
#include "mha/program.hpp"

#include <cmath>

namespace pruning {

// [prune]
Weights pruned(const Weights& w, Index d_head,
               const std::vector<Index>& kept) {
  const Index width = std::ssize(kept) * d_head;
  Weights few{Numbers(w.w_q.rows(), width), Numbers(w.w_k.rows(), width),
              Numbers(w.w_v.rows(), width), Numbers(width, w.w_o.cols()),
              mha::RowVector<double>(width), mha::RowVector<double>(width),
              mha::RowVector<double>(width), w.b_o};
  for (Index i = 0; i < std::ssize(kept); ++i) {
    const Index h = kept[static_cast<std::size_t>(i)];
    const auto take = [&](auto& to, const auto& from) {
      mha::head_of(to, i, d_head) = mha::head_of(from, h, d_head);
    };
    take(few.w_q, w.w_q), take(few.w_k, w.w_k), take(few.w_v, w.w_v);
    take(few.b_q, w.b_q), take(few.b_k, w.b_k), take(few.b_v, w.b_v);
    few.w_o.middleRows(i * d_head, d_head) =
        w.w_o.middleRows(h * d_head, d_head);
  }
  return few;
}
// [prune]

// [output of]
Numbers output_of(const Weights& w, Index d_head, const Numbers& x) {
  Numbers output = w.b_o.replicate(x.rows(), 1);
  const Numbers q = mha::project(x, w.w_q, w.b_q, "x");
  const Numbers k = mha::project(x, w.w_k, w.b_k, "x");
  const Numbers v = mha::project(x, w.w_v, w.b_v, "x");
  for (Index h = 0; h < w.w_q.cols() / d_head; ++h) {
    output += mha::attention(mha::head_of(q, h, d_head),
                             mha::head_of(k, h, d_head),
                             mha::head_of(v, h, d_head)).context *
              w.w_o.middleRows(h * d_head, d_head);
  }
  return output;
}
// [output of]

namespace {

// [columns-of-w-o]
// Silences the columns of w_o that carry a head's number, and leaves its rows.
Weights silence_columns(const Weights& w, Index d_head,
                        const std::vector<Index>& kept) {
  Weights wrong = w;
  Numbers w_o = Numbers::Zero(w.w_o.rows(), w.w_o.cols());
  for (const Index h : kept) {
    mha::head_of(w_o, h, d_head) = mha::head_of(w.w_o, h, d_head);
  }
  wrong.w_o = w_o;
  return wrong;
}
// [columns-of-w-o]

// [fresh-matrix-of-no-rows]
// Makes a fresh matrix first, as a constructor does, and then copies what is
// left into it. A fresh matrix is drawn within a bound.
double bound_of_fresh(Index rows) {
  mha::require(rows != 0, "division by zero: 1 / sqrt({})", rows);
  return 1 / std::sqrt(static_cast<double>(rows));
}

Weights by_way_of_a_fresh_one(const Weights& w, Index d_head,
                              const std::vector<Index>& kept) {
  const Weights few = pruned(w, d_head, kept);
  Numbers fresh = Numbers::Constant(few.w_o.rows(), few.w_o.cols(),
                                    bound_of_fresh(few.w_o.rows()));
  fresh = few.w_o;
  return {few.w_q, few.w_k, few.w_v, fresh,
          few.b_q, few.b_k, few.b_v, few.b_o};
}
// [fresh-matrix-of-no-rows]

// [small layer]
constexpr Index heads = 3, d_head = 2, d_model = heads * d_head;

Weights small_layer() {
  mha::TorchGenerator generator(94);
  const auto normal = [&](Index rows, Index columns) -> Numbers {
    return generator.normal(rows, columns).cast<double>();
  };
  return {normal(d_model, d_model), normal(d_model, d_model),
          normal(d_model, d_model), normal(d_model, d_model),
          normal(1, d_model), normal(1, d_model),
          normal(1, d_model), normal(1, d_model)};
}

std::vector<Index> subset(unsigned bits) {
  std::vector<Index> kept;
  for (Index h = 0; h < heads; ++h) {
    if ((bits >> h & 1U) != 0) kept.push_back(h);
  }
  return kept;
}
// [small layer]

}  // namespace

// [fault of]
std::string fault_of(const Case& one) {
  const Weights w = small_layer();
  mha::TorchGenerator generator(95);
  const Numbers x = generator.normal(5, d_model).cast<double>();
  const auto result = mha::MultiHeadAttention<double>(w, heads).forward(x);
  for (unsigned bits = 0; bits < 1U << heads; ++bits) {
    const std::vector<Index> kept = subset(bits);
    Numbers expected = w.b_o.replicate(x.rows(), 1);
    for (const Index h : kept) {
      expected += mha::head_of(result.heads, h, d_head) *
                  w.w_o.middleRows(h * d_head, d_head);
    }
    try {
      const Numbers got = output_of(one.prune(w, d_head, kept), d_head, x);
      if (!(mha::max_abs_difference(got, expected) <= 1e-12)) {
        return fmt::format("with {} of {} heads the output is off",
                           kept.size(), heads);
      }
    } catch (const std::invalid_argument& error) {
      return fmt::format("with {} of {} heads: {}", kept.size(), heads,
                         error.what());
    }
  }
  return "";
}
// [fault of]

// [pruning cases]
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"slices", "", pruned, ""},
      {"columns-of-w-o", "output slots fall silent, and no head does",
       silence_columns, "M4"},
      {"fresh-matrix-of-no-rows", "fine until the last head of a layer goes",
       by_way_of_a_fresh_one, "M2"}};
  return all;
}

void print_cases() {
  mha::heading("Ways to prune");
  for (const Case& one : cases()) {
    const std::string fault = fault_of(one);
    fmt::print("{:<24} {}\n", one.name, fault.empty() ? "right" : fault);
    if (!one.symptom.empty()) fmt::print("{:<24} ({})\n", "", one.symptom);
  }
}

void print_reports() {
  mha::heading("Bug reports");
  for (const Case& one : cases()) {
    if (one.report.empty()) continue;
    fmt::print("{} | {} | {} | {}\n", one.report, one.name,
               fault_of(one).empty() ? "passed" : "caught",
               "a pruned layer gives what the heads that are left write");
  }
}
// [pruning cases]

}  // namespace pruning
