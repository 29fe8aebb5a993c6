#include "exercise/exercise.hpp"

#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <doctest/doctest.h>

mha::Matrix<double> other_values(const mha::Matrix<double>& weights,
                                 const mha::Matrix<double>& values);

namespace {

using mha::Index;
using mha::Matrix;

// Rows of weights that each sum to 1.
Matrix<double> random_weights(mha::TorchGenerator& generator, Index heads,
                              Index sources) {
  const Matrix<double> scores = generator.normal(heads, sources).cast<double>();
  return mha::masked_softmax(scores,
                             mha::BoolMatrix::Constant(heads, sources, true));
}

std::string given(const Matrix<double>& weights) {
  return fmt::format("{} heads, {} sources, weights\n{:9}{}", weights.rows(),
                     weights.cols(), "", mha::show(weights));
}

void expect_unseen_change(const Matrix<double>& weights,
                          const Matrix<double>& values) {
  const Matrix<double> other = other_values(weights, values);
  mha::expect(other.rows() == values.rows() && other.cols() == values.cols(),
              fmt::format("{}\nexpected values of {} x {}, got {} x {}.",
                          given(weights), values.rows(), values.cols(),
                          other.rows(), other.cols()));
  const double change = mha::max_abs_difference(other, values);
  mha::expect(change >= 0.1 && change <= 100,
              fmt::format("{}\nexpected values that differ by 0.1 to 100, got "
                          "a largest difference of {:.3g}.\nOther values do "
                          "exist: there is a direction that none of these "
                          "heads looks in.",
                          given(weights), change));
  // Numbers below 110, a few roundings: far below this.
  mha::expect_close(weights * other, weights * values, 1e-10, given(weights),
                    "These are the readings of all heads, from your values and "
                    "from the ones before. One that differs has noticed.");
}

}  // namespace

TEST_CASE("every head reads the same from other values") {
  mha::TorchGenerator generator(5);
  for (int trial = 0; trial < 50; ++trial) {
    expect_unseen_change(random_weights(generator, 2, 3),
                         generator.normal(3, 4).cast<double>());
  }
}

TEST_CASE("it works for any number of heads below the number of sources") {
  mha::TorchGenerator generator(6);
  for (int trial = 0; trial < 50; ++trial) {
    const Index heads = 1 + generator.integer(4);
    const Index sources = heads + 1 + generator.integer(3);
    expect_unseen_change(random_weights(generator, heads, sources),
                         generator.normal(sources, 2).cast<double>());
  }
}

TEST_CASE("heads that agree count as one") {
  mha::TorchGenerator generator(7);
  Matrix<double> weights = random_weights(generator, 3, 3);
  const Matrix<double> values = generator.normal(3, 2).cast<double>();
  weights.row(2) = weights.row(0);
  expect_unseen_change(weights, values);
  weights.row(1) = weights.row(0);
  expect_unseen_change(weights, values);
}

TEST_CASE("as many different heads as sources leave nothing unseen") {
  mha::TorchGenerator generator(8);
  for (const Index heads : {3, 4}) {
    const Matrix<double> weights = random_weights(generator, heads, 3);
    const Matrix<double> values = generator.normal(3, 2).cast<double>();
    mha::expect_close(other_values(weights, values), values, 0, given(weights),
                      "Three different heads read three independent sums of "
                      "three sources, so the values can be worked out from the "
                      "readings. Return them as they are.");
  }
}
