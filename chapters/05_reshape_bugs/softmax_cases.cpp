#include "cases.hpp"

#include "mha/battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gallery {

// [names in softmaxes]
using mha::BoolMatrix;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
// [names in softmaxes]

// [softmax-over-queries]
Numbers weigh_columns(const Numbers& scores, const BoolMatrix& visible,
                      const Call& /*call*/, Index /*b*/) {
  const Numbers across = scores.transpose();
  const BoolMatrix visible_across = visible.transpose();
  return mha::masked_softmax(across, visible_across).transpose();
}

Case softmax_over_queries() {
  return {.name = "softmax-over-queries",
          .symptom = "the loss and the pictures look as ever",
          .mend = "softmax along the keys, the last axis",
          .steps = {.weigh = weigh_columns},
          .reports = {{"E1", "every row of weights sums to 1"}},
          .shown_on = mha::fixture_call()};
}
// [softmax-over-queries]

// [softmax from]
// Softmax of the visible scores, each less what `start` gives for its row.
template <typename Start>
Numbers softmax_less(const Numbers& scores, const BoolMatrix& visible,
                     Start start) {
  Numbers weights = Numbers::Zero(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    const double less = start(i);
    double total = 0;
    for (Index j = 0; j < scores.cols(); ++j) {
      if (!visible(i, j)) continue;
      weights(i, j) = std::exp(scores(i, j) - less);
      total += weights(i, j);
    }
    if (visible.row(i).any()) weights.row(i) /= total;
  }
  return weights;
}
// [softmax from]

// [nothing-subtracted]
Numbers weigh_bare(const Numbers& scores, const BoolMatrix& visible,
                   const Call& /*call*/, Index /*b*/) {
  return softmax_less(scores, visible, [](Index) { return 0.0; });
}

Case nothing_subtracted() {
  return {.name = "nothing-subtracted",
          .symptom = "NaN, some thousand steps or some layers in",
          .mend = "subtract the row's largest score before exp",
          .steps = {.weigh = weigh_bare},
          .reports = {{"E2", "scores of 1000 and 1001 do not overflow"}},
          .shown_on = mha::one_row({1000, 1001})};
}
// [nothing-subtracted]

// [maximum-from-zero]
// A maximum that starts at 0 stays at 0 when every score is negative.
Numbers weigh_from_zero(const Numbers& scores, const BoolMatrix& visible,
                        const Call& /*call*/, Index /*b*/) {
  return softmax_less(scores, visible, [&](Index i) {
    return std::max(0.0, scores.row(i).maxCoeff());
  });
}

Case maximum_from_zero() {
  return {.name = "maximum-from-zero",
          .symptom = "NaN for rows whose scores are all very negative",
          .mend = "start the maximum at minus infinity",
          .steps = {.weigh = weigh_from_zero},
          .reports = {{"E11", "scores far below zero still share out 1"}},
          .shown_on = mha::one_row({-1000, -1000, -1000})};
}
// [maximum-from-zero]

// [tiles-of-two]
// A running softmax over tiles of two keys. It forgets that the running
// maximum may still be minus infinity.
Numbers weigh_in_tiles(const Numbers& scores, const BoolMatrix& visible,
                       const Call& /*call*/, Index /*b*/) {
  Numbers weights = Numbers::Zero(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    double highest = -inf, total = 0;
    for (Index j = 0; j < scores.cols(); j += 2) {
      const Index end = std::min(j + 2, scores.cols());
      double higher = highest;
      for (Index l = j; l < end; ++l) {
        if (visible(i, l)) higher = std::max(higher, scores(i, l));
      }
      total *= std::exp(highest - higher);  // NaN when both are infinite
      for (Index l = j; l < end; ++l) {
        if (visible(i, l)) total += std::exp(scores(i, l) - higher);
      }
      highest = higher;
    }
    // [tiles-of-two]
    // [tiles-of-two weights]
    for (Index j = 0; j < scores.cols(); ++j) {
      if (!visible(i, j)) continue;
      weights(i, j) = std::exp(scores(i, j) - highest) / total;
    }
  }
  return weights;
}

Case tiles_of_two() {
  Call call = mha::one_row({5, 5, 1, 2});
  call.padding = BoolMatrix(1, 4);
  call.padding << false, false, true, true;
  return {.name = "tiles-of-two",
          .symptom = "NaN when a whole tile is hidden before the first key",
          .mend = "skip a tile in which nothing is visible yet",
          .steps = {.weigh = weigh_in_tiles},
          .reports = {{"E3", "keys hidden at the start of a row change "
                             "nothing"}},
          .shown_on = call};
}
// [tiles-of-two weights]

// [half-scores]
// Dot products in 16 bits, scaled when it is too late.
Numbers score_in_half(const Numbers& q, const Numbers& k, double scale,
                      const Call& call) {
  using Half = mha::Matrix<Eigen::half>;
  const Half product = q.cast<Eigen::half>() *
                       k.cast<Eigen::half>().transpose();
  Numbers scores = scale * product.cast<double>();
  if (mha::is_given(call.options.bias)) scores += call.options.bias;
  return scores;
}

Case half_scores() {
  Call call = {.q = Numbers::Constant(1, 64, 48.0),
               .k = Numbers::Constant(2, 64, 48.0),
               .v = Numbers::Identity(2, 64)};
  call.k.row(1).setConstant(44);
  return {.name = "half-scores",
          .symptom = "infinite or NaN in 16 bits, on large activations",
          .mend = "scale the queries before the product, or sum in 32 "
                  "bits",
          .steps = {.score = score_in_half},
          .reports = {{"E6", "entries of size 48 do not overflow at width "
                             "64"}},
          .shown_on = call};
}
// [half-scores]

// [infinite-score]
// Infinity less infinity is NaN.
Numbers weigh_less_infinity(const Numbers& scores, const BoolMatrix& visible,
                            const Call& /*call*/, Index /*b*/) {
  return softmax_less(scores, visible, [&](Index i) {
    double highest = -inf;
    for (Index j = 0; j < scores.cols(); ++j) {
      if (visible(i, j)) highest = std::max(highest, scores(i, j));
    }
    return highest;
  });
}

Case infinite_score() {
  Call call = mha::one_row({1e200});
  call.q *= 1e200;
  call.v(0, 0) = 7;
  return {.name = "infinite-score",
          .symptom = "NaN from one key, whose weight can only be 1",
          .mend = "let equal infinite scores share their row",
          .steps = {.weigh = weigh_less_infinity},
          .reports = {{"E7", "a single key hands over its value, however "
                             "large the score"}},
          .shown_on = call};
}
// [infinite-score]

}  // namespace

// [softmax cases]
std::vector<Case> softmax_cases() {
  return {softmax_over_queries(), nothing_subtracted(), maximum_from_zero(),
          tiles_of_two(),         half_scores(),        infinite_score()};
}
// [softmax cases]

}  // namespace gallery
