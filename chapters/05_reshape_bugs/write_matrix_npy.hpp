// Chapter 5: an Eigen matrix as a .npy file, for the diagnosis.
#pragma once

#include "write_npy.hpp"

#include <Eigen/Core>

namespace gallery {

// [write matrix]
// Any matrix of Eigen's, column-major or not, of floats or doubles.
template <typename Derived>
void write_npy(const std::string& file,
               const Eigen::MatrixBase<Derived>& matrix) {
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>
      rows = matrix.template cast<float>();  // the file has row after row
  write_npy(
      file, {static_cast<int>(rows.rows()), static_cast<int>(rows.cols())},
      rows.data());
}
// [write matrix]

}  // namespace gallery
