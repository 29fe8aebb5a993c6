/// \file matrix.hpp
/// Matrix types and the check at the door that the whole book uses.
#pragma once

#include <Eigen/Core>
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

/// Everything the chapters share.
namespace mha {

// [matrix types]
/// Sizes and offsets: signed, 64 bits.
using Index = Eigen::Index;

/// A matrix stored row by row: row t is token t.
/// \tparam Scalar float, or double for references
template <typename Scalar>
using Matrix =
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One row of a Matrix, or a bias.
/// \tparam Scalar float, or double for references
template <typename Scalar>
using RowVector = Eigen::Matrix<Scalar, 1, Eigen::Dynamic, Eigen::RowMajor>;

/// A table of yes and no.
using BoolMatrix =
    Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// [matrix types]

// [require]
/// Checks a precondition.
/// \param holds    what must be true
/// \param message  fmt format string that names the numbers involved
/// \param numbers  the arguments of the message
/// \throws std::invalid_argument with the message when `holds` is false
template <typename... Args>
void require(bool holds, fmt::format_string<Args...> message,
             Args&&... numbers) {
  if (!holds) {
    throw std::invalid_argument(
        fmt::format(message, std::forward<Args>(numbers)...));
  }
}
// [require]

}  // namespace mha
