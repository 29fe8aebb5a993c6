/// \file counted_memory.hpp
/// An allocator that counts (chapter 6): what a cache holds is asked of the
/// memory, not of a formula.
#pragma once

#include "mha/matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

namespace mha {

// [memory count]
/// What was allocated, in bytes.
struct MemoryCount {
  Index now = 0;          ///< allocated and not yet given back
  Index most = 0;         ///< the most there was at one time
  Index allocations = 0;  ///< how often something was asked for
};
// [memory count]

// [counted allocator]
/// For standard containers: memory that starts at a cache line, counted.
/// \tparam T  type of an element
template <typename T>
class CountedAllocator {
 public:
  using value_type = T;  ///< as containers want it

  /// \param count  is kept up to date, and must outlive the container; null
  ///               counts nothing
  explicit CountedAllocator(MemoryCount* count = nullptr) : count_(count) {}

  /// \param other  an allocator of another type, whose count is shared
  template <typename U>
  explicit CountedAllocator(const CountedAllocator<U>& other)
      : count_(other.count()) {}

  /// \param n  number of elements
  /// \return memory for them
  /// \throws std::bad_alloc when there is not enough
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) {
      throw std::bad_alloc();
    }
    T* place = static_cast<T*>(::operator new(n * sizeof(T), line));
    if (count_ != nullptr) {
      count_->now += static_cast<Index>(n * sizeof(T));
      count_->most = std::max(count_->most, count_->now);
      ++count_->allocations;
    }
    return place;
  }

  /// \param place  what allocate(n) returned
  /// \param n      number of elements
  void deallocate(T* place, std::size_t n) {
    if (count_ != nullptr) count_->now -= static_cast<Index>(n * sizeof(T));
    ::operator delete(place, line);
  }

  /// \return where it counts, or null
  MemoryCount* count() const { return count_; }

 private:
  static constexpr std::align_val_t line{64};
  MemoryCount* count_;
};

/// \param a  an allocator
/// \param b  another
/// \return whether they count in one place
template <typename T, typename U>
bool operator==(const CountedAllocator<T>& a, const CountedAllocator<U>& b) {
  return a.count() == b.count();
}
// [counted allocator]

}  // namespace mha
