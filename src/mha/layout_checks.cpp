#include "mha/battery.hpp"
#include "mha/measure.hpp"

namespace mha {
namespace {

// [it equals the loop over heads, with sizes that all differ]
std::string equals_the_definition(Trial& trial) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const AttentionCall call = trial.random_input(seed);
    const Matrix<double> expected = by_definition(call);
    const Matrix<double> got = trial.output(call);
    if (trial.differ(expected, got)) {
      return fmt::format("the output is off by {:.2g}",
                         max_abs_difference(expected, got));
    }
  }
  return "";
}
// [it equals the loop over heads, with sizes that all differ]

// [token 0 of the output holds row 0 of every head]
std::string token_0(Trial& trial) {
  AttentionCall call = {
      .q = Matrix<double>::Identity(2, 2).replicate(1, 2) * 1000};
  call.k = call.q;  // so each token looks at itself
  call.v = Matrix<double>(2, 4);
  call.v << 0, 1, 4, 5,  // token 0: rows 0 of head 0 and head 1
      2, 3, 6, 7;        // token 1
  call.n_heads = call.n_kv_heads = 2;
  return trial.compare("token 0", call.v.row(0), trial.output(call).row(0));
}
// [token 0 of the output holds row 0 of every head]

// [query head h reads key/value head h / (H / G)]
std::string kv_heads(Trial& trial) {
  AttentionCall call = random_call(
      21, {.t_q = 1, .n_heads = 4, .n_kv_heads = 2, .d_head = 1});
  call.v << 0, 1;  // what the two key/value heads hand over
  Matrix<double> expected(1, 4);
  expected << 0, 0, 1, 1;
  return trial.compare("4 query heads, 2 key/value heads", expected,
                       trial.output(call));
}
// [query head h reads key/value head h / (H / G)]

// [items of a batch do not see each other]
std::string items(Trial& trial) {
  const AttentionCall call = trial.random_input(15);
  const Index t_q = tokens_of(call), t_k = keys_of(call);
  const Matrix<double> before = trial.output(call);
  for (Index changed = 0; changed < call.batch; ++changed) {
    AttentionCall other = call;
    other.q.middleRows(t_q * changed, t_q).setConstant(2);
    other.k.middleRows(t_k * changed, t_k).setConstant(3);
    other.v.middleRows(t_k * changed, t_k).setConstant(9);
    const Matrix<double> after = trial.output(other);
    for (Index b = 0; b < call.batch; ++b) {
      if (b != changed && trial.differ(before.middleRows(t_q * b, t_q),
                                       after.middleRows(t_q * b, t_q))) {
        return fmt::format("item {} was changed, and item {} changed",
                           changed, b);
      }
    }
  }
  return "";
}
// [items of a batch do not see each other]

}  // namespace

// [layout checks]
std::vector<Check> layout_checks() {
  return {
      {"it equals the loop over heads, with sizes that all differ",
       equals_the_definition, {}, true, "05a_wrong_splits"},
      {"token 0 of the output holds row 0 of every head", token_0, {}, false,
       "05a_wrong_splits"},
      {"query head h reads key/value head h / (H / G)", kv_heads,
       {&Abilities::shared_heads}, false, "05a_wrong_splits"},
      {"items of a batch do not see each other", items,
       {&Abilities::batches}, true, "05c_wrong_softmax"}};
}
// [layout checks]

}  // namespace mha
