#include "exercise/exercise.hpp"

#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <cmath>

double determinant_of_weights(const mha::RowVector<double>& queries);

namespace {

using mha::Index;
using mha::Matrix;

double measured(const mha::RowVector<double>& queries) {
  const Index tokens = queries.size();
  Matrix<double> keys(tokens, 1);
  for (Index t = 0; t < tokens; ++t) keys(t, 0) = static_cast<double>(t);
  const Matrix<double> column = queries.transpose();
  return mha::attention(column, keys, keys).weights.determinant();
}

void expect_determinant(const mha::RowVector<double>& queries) {
  const double expected = measured(queries);
  const double got = determinant_of_weights(queries);
  // Elimination rounds at about 1e-16 of numbers below 1.
  mha::expect(std::abs(got - expected) <= 1e-9 * std::abs(expected) + 1e-15,
              fmt::format("queries {}\nexpected {:.9g}\ngot      {:.9g}\n{}",
                          mha::show(queries), expected, got,
                          got == 0 ? "The table has full rank whenever the "
                                     "queries all differ."
                          : got * expected < 0
                              ? "The sign is wrong: for i < j the factor is "
                                "x(j) - x(i)."
                              : "Did you divide by the sum of each row?"));
}

}  // namespace

TEST_CASE("it is the determinant of the weights") {
  expect_determinant(mha::RowVector<double>{{0.0, 1.0, 2.0}});
  expect_determinant(mha::RowVector<double>{{2.0, 1.0, 0.0}});
  expect_determinant(mha::RowVector<double>{{0.0, 1.0}});
  mha::TorchGenerator generator(8);
  for (int trial = 0; trial < 50; ++trial) {
    const Index tokens = 2 + generator.integer(4);
    expect_determinant(generator.normal(1, tokens).cast<double>());
  }
}

TEST_CASE("two equal queries make it 0") {
  const mha::RowVector<double> queries{{0.5, -1.0, 0.5}};
  mha::expect(determinant_of_weights(queries) == 0,
              fmt::format("queries (0.5, -1, 0.5)\nexpected 0, got {:.9g}."
                          "\nTwo tokens ask for the same, so two rows of "
                          "weights are equal.",
                          determinant_of_weights(queries)));
}

TEST_CASE("it is not 0 for queries that differ") {
  const mha::RowVector<double> queries{{-1.0, 0.0, 1.0, 2.0, 3.0, 4.0}};
  mha::expect(std::abs(determinant_of_weights(queries)) > 0,
              "queries (-1, 0, 1, 2, 3, 4)\nexpected a number other than 0. "
              "However small it is, the rank is full.");
}
