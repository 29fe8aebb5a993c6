// The stacks of fibers that run in a page, where no memory can be protected:
// fiber_in_page.cpp looks after a stack's end itself.
#include "device/fiber_stacks.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace device {

FiberStacks::~FiberStacks() { release(); }

void FiberStacks::release() {
  std::free(memory_);
  memory_ = nullptr;
}

void FiberStacks::provide(std::int64_t count, std::size_t bytes) {
  constexpr std::size_t least = 16u << 10;
  constexpr std::size_t most = 64u << 20;
  if (bytes < least || bytes > most) {
    throw std::invalid_argument(fmt::format(
        "a thread's stack is {} bytes, and must be from {} to {}", bytes,
        least, most));
  }
  constexpr std::size_t alignment = 16;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (memory_ != nullptr && count <= count_ && bytes == bytes_) return;
  release();
  bytes_ = bytes;
  stride_ = bytes;
  count_ = count;
  const std::uint64_t all = static_cast<std::uint64_t>(count) * stride_;
  if (all < PTRDIFF_MAX) {
    memory_ = static_cast<char*>(
        std::aligned_alloc(alignment, static_cast<std::size_t>(all)));
  }
  if (memory_ == nullptr) {
    throw std::runtime_error(fmt::format(
        "no memory for the stacks of a block's threads ({} bytes)", all));
  }
}

StackMemory FiberStacks::stack(std::int64_t index) const {
  return {memory_ + static_cast<std::size_t>(index) * stride_, bytes_};
}

bool FiberStacks::is_guard(const void*) const { return false; }

}  // namespace device
