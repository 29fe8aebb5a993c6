#include "mha/battery.hpp"

#include <algorithm>
#include <cmath>

namespace mha {
namespace {

// [every row of weights sums to 1]
std::string rows_sum_to_1(Trial& trial) {
  AttentionCall call = trial.random_input(6);
  if (trial.abilities().causal && tokens_of(call) <= keys_of(call)) {
    call.options.causal = Causal::bottom_right;
  }
  call.training = trial.abilities().training;
  call.dropout = 0.1;
  const AttentionAnswer answer = trial.ask(call);
  const Matrix<double> one = Matrix<double>::Ones(1, 1);
  for (const Matrix<double>& map : answer.weights)
    for (Index i = 0; i < map.rows(); ++i) {
      const Matrix<double> sum =
          Matrix<double>::Constant(1, 1, map.row(i).sum());
      const std::string found =
          trial.compare(fmt::format("the sum of row {} of a map", i), one, sum);
      if (!found.empty()) return found;
    }
  return "";
}
// [every row of weights sums to 1]

// [scores of 1000 and 1001 do not overflow]
std::string large_scores(Trial& trial) {
  const double e = std::exp(-1.0);
  return trial.compare("scores 1000 and 1001, values 0 and 1",
                       Matrix<double>::Constant(1, 1, 1 / (1 + e)),
                       trial.output(one_row({1000, 1001})));
}
// [scores of 1000 and 1001 do not overflow]

// [a key far above the others takes all, wherever it stands]
// In the longer rows it stands in another tile than most.
std::string far_above(Trial& trial) {
  for (const int keys : {2, 3, 300})
    for (const int place : {0, 1, keys - 1}) {
      std::vector<double> scores(static_cast<std::size_t>(keys), 0.0);
      scores[static_cast<std::size_t>(place)] = 1000;
      const std::string found = trial.compare(
          fmt::format("{} keys of score 0, but key {} of 1000; value j is j",
                      keys, place),
          Matrix<double>::Constant(1, 1, place),
          trial.output(one_row(scores)));
      if (!found.empty()) return found;
    }
  return "";
}
// [a key far above the others takes all, wherever it stands]

// [a key far below the best still has its share]
// Where numbers have 16 bits, exp(-25) is nothing.
std::string small_share(Trial& trial) {
  const double less = trial.abilities().epsilon > 1e-6 ? -10 : -25;
  AttentionCall call = one_row({0, less});
  call.v(1, 0) = std::exp(-less);
  return trial.compare(
      fmt::format("scores 0 and {}, values 0 and exp({})", less, -less),
      Matrix<double>::Constant(1, 1, 1 / (1 + std::exp(less))),
      trial.output(call));
}
// [a key far below the best still has its share]

// [scores far below zero still share out 1]
std::string low_scores(Trial& trial) {
  return trial.compare("three scores of -1000, values 0, 1 and 2",
                       Matrix<double>::Ones(1, 1),
                       trial.output(one_row({-1000, -1000, -1000})));
}
// [scores far below zero still share out 1]

// [keys hidden at the start of a row change nothing]
std::string hidden_first(Trial& trial) {
  AttentionCall call = trial.random_input(24);
  const Index t_k = keys_of(call);
  if (t_k < 2) return "";
  const Index hidden = t_k < 8 ? t_k / 2 : t_k - 2;  // whole tiles of them
  call.padding = BoolMatrix::Constant(call.batch, t_k, true);
  call.padding.leftCols(hidden).setConstant(false);
  return trial.compare(fmt::format("the first {} of {} keys hidden", hidden,
                                   t_k),
                       by_definition(call), trial.output(call));
}
// [keys hidden at the start of a row change nothing]

// [a single key hands over its value, however large the score]
std::string single_key(Trial& trial) {
  AttentionCall call = one_row({1e200});
  call.q *= 1e200;  // the score is infinite
  call.v(0, 0) = 7;
  return trial.compare("one key", Matrix<double>::Constant(1, 1, 7),
                       trial.output(call));
}
// [a single key hands over its value, however large the score]

// [entries of size 48 do not overflow at width 64]
std::string sixteen_bits(Trial& trial) {
  AttentionCall call = {.q = Matrix<double>::Constant(2, 64, 48.0),
                        .k = Matrix<double>::Constant(2, 64, 48.0),
                        .v = Matrix<double>::Identity(2, 64)};
  call.k.row(1).setConstant(44);  // scores 18,432 and 16,896
  return trial.compare("dot products 147,456 and 135,168: token 0",
                       call.v.row(0), trial.output(call).row(0));
}
// [entries of size 48 do not overflow at width 64]

}  // namespace

// [softmax checks]
std::vector<Check> softmax_checks() {
  using A = Abilities;
  const std::string page = "05c_wrong_softmax";
  return {{"every row of weights sums to 1", rows_sum_to_1, {&A::weights},
           true, page},
          {"scores of 1000 and 1001 do not overflow", large_scores,
           {&A::cross}, false, page},
          {"a key far above the others takes all, wherever it stands",
           far_above, {&A::cross}, false, page},
          {"a key far below the best still has its share", small_share,
           {&A::cross}, false, page},
          {"scores far below zero still share out 1", low_scores,
           {&A::cross}, false, page},
          {"keys hidden at the start of a row change nothing", hidden_first,
           {&A::padding}, true, page},
          {"a single key hands over its value, however large the score",
           single_key, {&A::infinite_scores}, false, page},
          {"entries of size 48 do not overflow at width 64", sixteen_bits,
           {}, false, page}};
}
// [softmax checks]

}  // namespace mha
