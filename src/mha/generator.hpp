/// \file generator.hpp
/// The random numbers of PyTorch's CPU generator, so that a reader with
/// PyTorch can make every number in the book.
#pragma once

#include "mha/matrix.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <span>

namespace mha {

// [generator]
/// Yields what PyTorch yields after `torch.manual_seed(seed)`: the uniform
/// numbers bit for bit, the normal ones within three units in the last place.
/// The standard library fixes the Mersenne Twister's stream, but not what its
/// distributions make of it, so those are written out here.
class TorchGenerator {
 public:
  /// \param seed  as given to torch.manual_seed
  explicit TorchGenerator(std::uint32_t seed) : engine_(seed) {}

  /// \param rows  rows of the matrix
  /// \param cols  columns of the matrix
  /// \param low   least value
  /// \param high  values stay below it, unless rounding takes one there
  /// \return (rows, cols) as torch.empty(rows, cols).uniform_(low, high)
  Matrix<float> uniform(Index rows, Index cols, float low, float high);

  /// \param rows  rows of the matrix
  /// \param cols  columns of the matrix
  /// \return (rows, cols) as torch.randn(rows, cols)
  Matrix<float> normal(Index rows, Index cols);

  /// \param below  number of choices, at least 1 and below 2^31
  /// \return a whole number from 0 to below - 1 (the low bits of one draw;
  ///         not meant to equal any function of PyTorch)
  Index integer(Index below);

 private:
  float uniform_float();
  double uniform_double();
  float normal_from_doubles();
  void box_muller(std::span<float, 16> block);

  std::mt19937 engine_;
  std::optional<double> spare_normal_;
};
// [generator]

}  // namespace mha
