/// \file measure.hpp
/// Numbers that say how far apart or how spread out things are.
#pragma once

#include "mha/matrix.hpp"

#include <algorithm>
#include <cmath>

namespace mha {

// [difference]
/// The largest absolute difference of two matrices, in double precision.
/// \param a  first matrix
/// \param b  second matrix, of the same shape
/// \return the difference; NaN as soon as one entry is NaN, so that a check
///         `max_abs_difference(a, b) <= bound` fails
/// \throws std::invalid_argument when the shapes differ
template <typename A, typename B>
double max_abs_difference(const Eigen::MatrixBase<A>& a,
                          const Eigen::MatrixBase<B>& b) {
  require(a.rows() == b.rows() && a.cols() == b.cols(),
          "cannot compare {} x {} with {} x {}", a.rows(), a.cols(), b.rows(),
          b.cols());
  double worst = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const double difference = std::abs(static_cast<double>(a(i, j)) -
                                         static_cast<double>(b(i, j)));
      if (std::isnan(difference)) return difference;
      worst = std::max(worst, difference);
    }
  }
  return worst;
}
// [difference]

// [entropy]
/// How spread out a row of weights is.
/// \param weights  non-negative numbers that sum to 1
/// \return entropy in bits: 0 when one weight has everything, log2(n) when n
///         weights are equal
template <typename Row>
double entropy_bits(const Eigen::MatrixBase<Row>& weights) {
  double bits = 0;
  for (Index j = 0; j < weights.size(); ++j) {
    const double p = static_cast<double>(weights(j));
    if (p != 0) bits -= p * std::log2(p);
  }
  return bits;
}
// [entropy]

}  // namespace mha
