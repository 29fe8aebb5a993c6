#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

double importance(const mha::Matrix<double>& written, mha::Index head);

namespace {

// The derivative of s / |s| in the direction c: what of c stands across s,
// divided by the length of s.
double exact(const mha::Matrix<double>& written, mha::Index head) {
  const mha::RowVector<double> sum = written.colwise().sum();
  const mha::RowVector<double> along = sum / sum.norm();
  const mha::RowVector<double> c = written.row(head);
  return (c - c.dot(along) * along).norm() / sum.norm();
}

void expect_importance(const mha::Matrix<double>& written, mha::Index head) {
  const double got = importance(written, head);
  const double right = exact(written, head);
  mha::expect(std::abs(got - right) <= 1e-4 * std::max(right, 1e-3),
              fmt::format("head {}: expected {:.6f}, got {:.6f}\nThe loss is "
                          "smallest where all gates are 1, so it is flat "
                          "there. The embedding is not.", head, right, got));
}

}  // namespace

TEST_CASE("importance is how fast the embedding turns") {
  mha::TorchGenerator generator(97);
  for (int trial = 0; trial < 20; ++trial) {
    const mha::Index heads = 2 + generator.integer(6);
    const mha::Matrix<double> written =
        generator.normal(heads, 12).cast<double>();
    for (mha::Index h = 0; h < heads; ++h) expect_importance(written, h);
  }
}

TEST_CASE("a head that writes along the sum turns nothing") {
  const mha::Matrix<double> written{{1, 0}, {2, 0}, {3, 0}};
  const double got = importance(written, 1);
  mha::expect(std::abs(got) <= 1e-9,
              fmt::format("All heads write in one direction, so no gate turns "
                          "the embedding. Got {}.", got));
}
