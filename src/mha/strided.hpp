/// \file strided.hpp
/// A small strided tensor with PyTorch's rules (chapter 5): which operations
/// share memory, which must copy, and which are refused. The rules are those
/// of PyTorch 1.13. The one difference we know of in later versions is noted
/// at `narrowed`.
#pragma once

#include "mha/matrix.hpp"

#include <array>
#include <concepts>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mha {

// [shape]
/// Sizes, strides or an index: one number a dimension.
using Shape = std::vector<Index>;

/// \param shape  any numbers
/// \return such as "(2, 3)"
std::string shape_text(const Shape& shape);

/// \param shape  sizes
/// \return how many elements they make: their product, 1 for no dimensions
/// \throws std::invalid_argument when a size is negative, or when the product
///         does not fit in 64 bits
Index element_count(const Shape& shape);
// [shape]

// [layout]
/// Where the elements of a tensor lie in memory: element (i, j, …) is at
/// offset + i strides[0] + j strides[1] + …
struct Layout {
  Shape shape;       ///< size of each dimension, 0 or more
  Shape strides;     ///< elements from one index to the next, 0 or more
  Index offset = 0;  ///< where element (0, 0, …) lies
  /// \return whether shape, strides and offset are all equal
  bool operator==(const Layout&) const = default;
};
// [layout]

// [memory in order]
/// \param shape  sizes
/// \return the layout that counts through memory, the last index fastest
/// \throws std::invalid_argument as element_count
Layout row_major(const Shape& shape);

/// \param layout  any
/// \return whether its elements lie one after the other, in order. The offset
///         does not matter, nor does the stride of a dimension of size 1
bool is_row_major(const Layout& layout);
// [memory in order]

// [positions]
/// \param layout  any
/// \param index   one number a dimension, 0 or more
/// \return where that element lies in memory
/// \throws std::invalid_argument when there is no such element
Index position(const Layout& layout, std::span<const Index> index);

/// \param layout  any
/// \return the positions of all elements, the last index fastest
/// \throws std::invalid_argument when it has not one stride a dimension
std::vector<Index> walk(const Layout& layout);
// [positions]

// [view operations]
/// The same elements under another shape, without moving any: the rule of
/// PyTorch's view.
/// \param layout  any
/// \param wanted  sizes with the same product; one may be -1, to be worked out
/// \return the layout, or nothing when no strides can express it
/// \throws std::invalid_argument when the number of elements does not fit
std::optional<Layout> viewed(const Layout& layout, const Shape& wanted);

/// \param layout  any
/// \param a       a dimension; -1 is the last one
/// \param b       the dimension to exchange it with
/// \return the layout with the two exchanged
/// \throws std::invalid_argument when there is no such dimension
Layout transposed(Layout layout, Index a, Index b);

/// \param layout  any
/// \param order   which dimension becomes the first, the second, …
/// \return the layout with its dimensions in that order
/// \throws std::invalid_argument unless each dimension is named once
Layout permuted(const Layout& layout, const Shape& order);
// [view operations]

// [slice operations]
/// \param layout     any
/// \param dimension  which one to cut; -1 is the last
/// \param start      first index to keep; a negative one counts from the end
/// \param length     how many to keep
/// \return the layout of these elements
/// \throws std::invalid_argument when they are not all there. (A dimension of
///         size 0 takes start -1, as in PyTorch 1.13; later versions refuse.)
Layout narrowed(Layout layout, Index dimension, Index start, Index length);

/// \param layout     any
/// \param dimension  which one to remove; -1 is the last
/// \param index      the index to keep; a negative one counts from the end
/// \return the layout of these elements, of one dimension less
/// \throws std::invalid_argument when there is no such index
Layout selected(Layout layout, Index dimension, Index index);

/// Repeats without copying: dimensions of size 1, and new ones in front, get
/// the stride 0.
/// \param layout  any
/// \param wanted  sizes; -1 keeps the size that is there
/// \return the layout
/// \throws std::invalid_argument when a size other than 1 would change
Layout expanded(const Layout& layout, const Shape& wanted);
// [slice operations]

// [reshaped]
template <typename T>
class StridedTensor;

/// What reshape had to do.
enum class Made {
  view,  ///< nothing moved, the memory is shared
  copy,  ///< every element was copied to new memory
};

/// What reshape returns.
/// \tparam T  type of the elements
template <typename T>
struct Reshaped {
  StridedTensor<T> tensor;  ///< of the shape that was asked for
  Made made;                ///< whether it shares memory
};
// [reshaped]

// [tensor]
/// Memory that may be shared, and a layout. Copying a StridedTensor shares its
/// memory, and like a pointer a const one can be written through.
/// \tparam T  type of the elements, not bool
template <typename T>
class StridedTensor {
 public:
  /// New memory.
  /// \param values  the elements, the last index fastest
  /// \param shape   their sizes
  /// \throws std::invalid_argument when there are more or fewer elements
  StridedTensor(std::vector<T> values, const Shape& shape);

  /// \return size of each dimension
  const Shape& shape() const { return layout_.shape; }
  /// \return elements of memory from one index to the next
  const Shape& strides() const { return layout_.strides; }
  /// \return shape, strides and offset
  const Layout& layout() const { return layout_; }
  /// \return everything that lies in the memory behind this tensor
  const std::vector<T>& storage() const { return *storage_; }
  /// \return how many elements the tensor has
  Index count() const { return element_count(layout_.shape); }
  // [tensor]

  // [element access]
  /// \param index  one number a dimension
  /// \return the element
  /// \throws std::invalid_argument when there is none
  template <std::integral... I>
  T& operator()(I... index) const {
    const std::array<Index, sizeof...(I)> at = {static_cast<Index>(index)...};
    return (*storage_)[static_cast<std::size_t>(position(layout_, at))];
  }

  /// \return the elements, the last index fastest
  std::vector<T> values() const;

  /// \param other  another tensor
  /// \return whether writing to one can change the other's memory
  bool shares_storage_with(const StridedTensor& other) const {
    return storage_ == other.storage_;
  }

  /// \return whether the elements lie one after the other, in order
  bool is_contiguous() const { return is_row_major(layout_); }
  // [element access]

  // [reshaping]
  /// Never copies.
  /// \param wanted  sizes; one may be -1, to be worked out
  /// \return the same memory in another shape
  /// \throws std::invalid_argument when the number of elements does not fit,
  ///         or when no strides can express it
  StridedTensor view(const Shape& wanted) const;

  /// Copies when it must.
  /// \param wanted  sizes; one may be -1, to be worked out
  /// \return the elements in another shape, and whether they were copied
  /// \throws std::invalid_argument when the number of elements does not fit
  Reshaped<T> reshape(const Shape& wanted) const;

  /// \return this tensor where it is contiguous, otherwise a copy that is
  StridedTensor contiguous() const;
  // [reshaping]

  // [sharing]
  /// \param a  a dimension; -1 is the last one
  /// \param b  the dimension to exchange it with
  /// \return the same memory with the two exchanged
  StridedTensor transpose(Index a, Index b) const {
    return share(transposed(layout_, a, b));
  }

  /// \param order  which dimension becomes the first, the second, …
  /// \return the same memory with the dimensions in that order
  StridedTensor permute(const Shape& order) const {
    return share(permuted(layout_, order));
  }

  /// \param dimension  which one to cut
  /// \param start      first index to keep
  /// \param length     how many to keep
  /// \return the part, in the same memory
  StridedTensor narrow(Index dimension, Index start, Index length) const {
    return share(narrowed(layout_, dimension, start, length));
  }
  // [sharing]

  // [sharing more]
  /// \param dimension  which one to remove
  /// \param index      the index to keep
  /// \return the part, in the same memory
  StridedTensor select(Index dimension, Index index) const {
    return share(selected(layout_, dimension, index));
  }

  /// \param wanted  sizes; -1 keeps the size that is there
  /// \return repeated elements that lie in memory once
  StridedTensor expand(const Shape& wanted) const {
    return share(expanded(layout_, wanted));
  }

 private:
  StridedTensor share(Layout layout) const {
    StridedTensor result = *this;
    result.layout_ = std::move(layout);
    return result;
  }

  std::shared_ptr<std::vector<T>> storage_;
  Layout layout_;
};
// [sharing more]

// [new memory]
template <typename T>
StridedTensor<T>::StridedTensor(std::vector<T> values, const Shape& shape)
    : storage_(std::make_shared<std::vector<T>>(std::move(values))),
      layout_(row_major(shape)) {
  require(static_cast<Index>(storage_->size()) == count(),
          "shape {} has {} elements, but {} were given", shape_text(shape),
          count(), storage_->size());
}

template <typename T>
std::vector<T> StridedTensor<T>::values() const {
  std::vector<T> result;
  for (const Index at : walk(layout_)) {
    result.push_back((*storage_)[static_cast<std::size_t>(at)]);
  }
  return result;
}
// [new memory]

// [view]
template <typename T>
StridedTensor<T> StridedTensor<T>::view(const Shape& wanted) const {
  std::optional<Layout> layout = viewed(layout_, wanted);
  require(layout.has_value(),
          "no view of shape {} with strides {} has the shape {}; use reshape, "
          "which copies, or contiguous() before view",
          shape_text(shape()), shape_text(strides()), shape_text(wanted));
  return share(*std::move(layout));
}
// [view]

// [reshape]
template <typename T>
Reshaped<T> StridedTensor<T>::reshape(const Shape& wanted) const {
  if (std::optional<Layout> layout = viewed(layout_, wanted)) {
    return {share(*std::move(layout)), Made::view};
  }
  const StridedTensor copy(values(), shape());
  return {copy.view(wanted), Made::copy};
}

template <typename T>
StridedTensor<T> StridedTensor<T>::contiguous() const {
  if (is_contiguous()) return *this;
  return StridedTensor(values(), shape());
}
// [reshape]

// [arange]
/// \tparam T  type of the elements
/// \param n   how many
/// \return (n): the numbers 0, 1, … n - 1, so that each element says where in
///         memory it lies
template <typename T>
StridedTensor<T> arange(Index n) {
  std::vector<T> values(static_cast<std::size_t>(element_count({n})));
  std::iota(values.begin(), values.end(), T{0});
  return StridedTensor<T>(std::move(values), {n});
}
// [arange]

// [tensor and matrix]
/// \param matrix  any
/// \return (rows, columns): a copy
template <typename Scalar>
StridedTensor<Scalar> tensor_of(const Matrix<Scalar>& matrix) {
  return StridedTensor<Scalar>({matrix.data(), matrix.data() + matrix.size()},
                               {matrix.rows(), matrix.cols()});
}

/// \param tensor  of two dimensions, contiguous or not
/// \return a copy
/// \throws std::invalid_argument when it has more or fewer dimensions
template <typename Scalar>
Matrix<Scalar> matrix_of(const StridedTensor<Scalar>& tensor) {
  require(tensor.shape().size() == 2,
          "a matrix has 2 dimensions, but shape {} has {}",
          shape_text(tensor.shape()), tensor.shape().size());
  const std::vector<Scalar> values = tensor.values();
  return Eigen::Map<const Matrix<Scalar>>(values.data(), tensor.shape()[0],
                                          tensor.shape()[1]);
}
// [tensor and matrix]

}  // namespace mha
