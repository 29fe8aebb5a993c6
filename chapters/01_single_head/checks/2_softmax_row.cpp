#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

mha::RowVector<double> softmax_row(const mha::RowVector<double>& scores);

namespace {

using Row = mha::RowVector<double>;
constexpr double hidden = -std::numeric_limits<double>::infinity();
const double e = std::exp(1.0);

Row row(double a, double b, double c) { return Row{{a, b, c}}; }

// A few roundings of numbers below 1: far below this.
constexpr double tolerance = 1e-12;

}  // namespace

TEST_CASE("a row of scores becomes shares of 1") {
  mha::expect_close(softmax_row(row(0, 1, 0)),
                    row(1 / (2 + e), e / (2 + e), 1 / (2 + e)), tolerance,
                    "scores (0, 1, 0)",
                    "Each weight is exp(score), divided by the sum of all of "
                    "them.");
  mha::TorchGenerator generator(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Row scores =
        generator.normal(1, 1 + generator.integer(9)).cast<double>();
    const Row exponentials = scores.array().exp();
    mha::expect_close(softmax_row(scores), exponentials / exponentials.sum(),
                      tolerance, "scores " + mha::show(scores),
                      "Each weight is exp(score), divided by the sum of all of "
                      "them.");
  }
}

TEST_CASE("scores of ten thousand give ordinary weights") {
  const Row expected = row(1 / (2 + e), e / (2 + e), 1 / (2 + e));
  for (const double far : {1e4, -1e4}) {
    mha::expect_close(
        softmax_row(row(far, far + 1, far)), expected, tolerance,
        fmt::format("scores ({0}, {1}, {0})", far, far + 1),
        "exp(10000) is infinite in floating point, and exp(-10000) is 0. Only "
        "differences of scores count, so take the highest off all of them "
        "first.");
  }
}

TEST_CASE("a hidden key gets exactly 0") {
  const Row got = softmax_row(row(2, hidden, 3));
  mha::expect_close(got, row(1 / (1 + e), 0, e / (1 + e)), tolerance,
                    "scores (2, -inf, 3)",
                    "A hidden key takes no share: the others share out 1.");
  mha::expect(got(1) == 0,
              fmt::format("scores (2, -inf, 3)\nexpected 0 for the hidden key, "
                          "got {}.\nNearly 0 is not hidden: a value of 1e300, "
                          "or NaN, would come through. Eigen's vectorised exp "
                          "never returns 0; std::exp of -inf does.",
                          got(1)));
}

TEST_CASE("a row in which every key is hidden gives zeros") {
  mha::expect_close(softmax_row(row(hidden, hidden, hidden)), Row::Zero(3), 0,
                    "scores (-inf, -inf, -inf)",
                    "There is nothing to share among. If you got NaN: -inf "
                    "less -inf is NaN, and so is 0 divided by 0. If you got "
                    "thirds, the keys are read as if they were not hidden.");
}

TEST_CASE("a NaN among the scores stays to be found") {
  const double nan = std::nan("");
  for (const Row& scores : {row(nan, 1, 2), row(1, nan, 2), row(1, 2, nan),
                            row(hidden, nan, 2), row(nan, hidden, hidden)}) {
    const Row got = softmax_row(scores);
    mha::expect(got.size() == 3,
                "the row of weights is as long as the row of "
                "scores: 3");
    for (mha::Index j = 0; j < 3; ++j) {
      mha::expect(
          scores(j) == hidden || std::isnan(got(j)),
          fmt::format("scores {}\nexpected NaN for every key that is not "
                      "hidden, got {}.\nWeights that look healthy would carry "
                      "the fault on unseen. A comparison with NaN is false: "
                      "which of your tests does a NaN slip through?",
                      mha::show(scores), mha::show(got)));
    }
  }
}
