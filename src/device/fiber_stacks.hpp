/// \file fiber_stacks.hpp
/// Stacks for the fibers of a block, kept from one launch to the next.
#pragma once

#include "device/fiber.hpp"

#include <cstddef>
#include <cstdint>

namespace device {

/// Stacks side by side, each above a page that nobody may touch: a thread that
/// outgrows its stack stops the program instead of writing on another's.
class FiberStacks {
 public:
  FiberStacks() = default;
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  /// Makes sure that there are so many of that size. What ran on the old ones
  /// is lost.
  /// \param count  of stacks
  /// \param bytes  of each, from 16 KiB to 64 MiB
  /// \throws std::invalid_argument for another size
  /// \throws std::runtime_error where the system has no memory for them
  void provide(std::int64_t count, std::size_t bytes);

  /// \param index  from 0
  /// \return that stack
  StackMemory stack(std::int64_t index) const;

  /// \param address  anything
  /// \return whether it is in a page that nobody may touch
  bool is_guard(const void* address) const;

 private:
  void release();

  char* memory_ = nullptr;
  std::int64_t count_ = 0;
  std::size_t bytes_ = 0;   // of each stack
  std::size_t stride_ = 0;  // from one to the next
};

}  // namespace device
