// The measures, above all: a NaN must never look like agreement.
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace {

using mha::Index;
using mha::Matrix;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the largest difference is found wherever it stands") {
  const Matrix<double> zero = Matrix<double>::Zero(3, 4);
  for (Index n = 0; n < zero.size(); ++n) {
    Matrix<double> other = zero;
    other.data()[n] = -0.5;
    other.data()[(n + 1) % 12] = 0.25;
    CHECK(mha::max_abs_difference(zero, other) == 0.5);
    CHECK(mha::max_abs_difference(other, zero) == 0.5);
  }
}

TEST_CASE("a NaN anywhere on either side fails a comparison") {
  const Matrix<double> zero = Matrix<double>::Zero(2, 3);
  for (Index n = 0; n < zero.size(); ++n) {
    Matrix<double> other = zero;
    other(1, 2) = 7;
    other(0, 0) = 7;
    other.data()[n] = not_a_number;
    CHECK(std::isnan(mha::max_abs_difference(zero, other)));
    CHECK(std::isnan(mha::max_abs_difference(other, zero)));
    CHECK(std::isnan(mha::max_abs_difference(other, other)));
    CHECK_FALSE(mha::max_abs_difference(other, zero) <= 1e300);
  }
}

TEST_CASE("an infinity never agrees, not even with itself") {
  const Matrix<double> infinite = Matrix<double>::Constant(1, 1, inf);
  const Matrix<double> zero = Matrix<double>::Zero(1, 1);
  CHECK_FALSE(mha::max_abs_difference(infinite, infinite) <= 1e300);
  CHECK_FALSE(mha::max_abs_difference(infinite, zero) <= 1e300);
}

TEST_CASE("floats and doubles are compared in double precision") {
  const Matrix<float> a = Matrix<float>::Constant(1, 1, 16777216);  // 2^24
  const Matrix<double> b = Matrix<double>::Constant(1, 1, 16777217);
  CHECK(mha::max_abs_difference(a, b) == 1);
}

TEST_CASE("matrices of no entries do not differ") {
  CHECK(mha::max_abs_difference(Matrix<float>(0, 3), Matrix<float>(0, 3)) == 0);
}

TEST_CASE("matrices of other shapes cannot be compared") {
  CHECK_THROWS_WITH_AS(
      mha::max_abs_difference(Matrix<float>(2, 3), Matrix<float>(3, 2)),
      "cannot compare 2 x 3 with 3 x 2", std::invalid_argument);
}

TEST_CASE("n equal weights have an entropy of log2 n bits, one weight none") {
  for (const Index n : {1, 2, 8, 64}) {
    const Matrix<double> even =
        Matrix<double>::Constant(1, n, 1.0 / static_cast<double>(n));
    CHECK(mha::entropy_bits(even) ==
          doctest::Approx(std::log2(static_cast<double>(n))));
  }
  Matrix<double> one_hot = Matrix<double>::Zero(1, 5);
  one_hot(0, 3) = 1;
  CHECK(mha::entropy_bits(one_hot) == 0);
  Matrix<float> uneven(1, 3);
  uneven << 0.5F, 0.25F, 0.25F;
  CHECK(mha::entropy_bits(uneven) == 1.5);
}

TEST_CASE("the entropy of a row with a NaN is NaN") {
  Matrix<double> row = Matrix<double>::Constant(1, 4, 0.25);
  row(0, 2) = not_a_number;
  CHECK(std::isnan(mha::entropy_bits(row)));
}
