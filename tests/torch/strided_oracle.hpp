/// \file strided_oracle.hpp
/// PyTorch's tensors as shape, strides and memory, behind an interface of
/// standard types.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace oracle {

/// One number a dimension.
using Numbers = std::vector<std::int64_t>;

/// What can be done to a tensor.
enum class Operation {
  view,        ///< numbers: the shape
  reshape,     ///< numbers: the shape
  transpose,   ///< numbers: two dimensions
  permute,     ///< numbers: the order
  narrow,      ///< numbers: dimension, start, length
  select,      ///< numbers: dimension, index
  expand,      ///< numbers: the shape
  contiguous,  ///< no numbers
};

/// One operation with its arguments.
struct Step {
  Operation operation;  ///< what to do
  Numbers numbers;      ///< with which arguments
};

/// A tensor of PyTorch.
class TorchTensor {
 public:
  /// \param shape  sizes
  /// \return torch.arange(n).view(shape), in whole numbers of 64 bits
  static TorchTensor counting(const Numbers& shape);

  /// \param step  what to do
  /// \return what PyTorch makes of it; nothing when PyTorch throws, or
  ///         returns a tensor with a negative size
  std::optional<TorchTensor> after(const Step& step) const;

  /// \return size()
  Numbers shape() const;
  /// \return stride()
  Numbers strides() const;
  /// \return storage_offset()
  std::int64_t offset() const;
  /// \return is_contiguous()
  bool is_contiguous() const;
  /// \return flatten(): the elements, the last index fastest
  Numbers values() const;
  /// \param other  another tensor
  /// \return whether both have the same storage
  bool shares_storage_with(const TorchTensor& other) const;

 private:
  struct Hidden;
  explicit TorchTensor(Hidden hidden);
  std::shared_ptr<const Hidden> hidden_;
};

}  // namespace oracle
