/// \file units.hpp
/// How far apart two floats are, in units in the last place.
#pragma once

#include "mha/matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace oracle {

/// \param value  not NaN
/// \return its place in the row of all floats; both zeros are at 0
inline std::int64_t place(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(std::abs(value));
  return std::signbit(value) ? -std::int64_t{bits} : std::int64_t{bits};
}

/// \param a  first matrix
/// \param b  second matrix, of the same shape
/// \return the most floats that lie between two entries: 0 if all are equal;
///         more than any bound when one is NaN
inline std::int64_t units_apart(const mha::Matrix<float>& a,
                                const mha::Matrix<float>& b) {
  mha::require(a.rows() == b.rows() && a.cols() == b.cols(),
               "cannot compare {} x {} with {} x {}", a.rows(), a.cols(),
               b.rows(), b.cols());
  if (a.array().isNaN().any() || b.array().isNaN().any()) {
    return std::numeric_limits<std::int64_t>::max();
  }
  std::int64_t most = 0;
  for (mha::Index i = 0; i < a.rows(); ++i) {
    for (mha::Index j = 0; j < a.cols(); ++j) {
      most = std::max(most, std::abs(place(a(i, j)) - place(b(i, j))));
    }
  }
  return most;
}

}  // namespace oracle
