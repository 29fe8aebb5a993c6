#include "device/fiber_stacks.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace device {

namespace {

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

char* map_memory(std::size_t bytes) {
  // Only what is touched takes memory.
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(
        fmt::format("no memory for the stacks of a block's threads ({} bytes)",
                    bytes));
  }
  return static_cast<char*>(memory);
}

}  // namespace

FiberStacks::~FiberStacks() { release(); }

void FiberStacks::release() {
  if (memory_ != nullptr) {
    munmap(memory_, static_cast<std::size_t>(count_) * stride_);
  }
  memory_ = nullptr;
}

void FiberStacks::provide(std::int64_t count, std::size_t bytes) {
  if (bytes < (16u << 10) || bytes > (64u << 20)) {
    throw std::invalid_argument(fmt::format(
        "a thread's stack is {} bytes, and must be from 16384 to 67108864",
        bytes));
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = rounded_up(bytes, page);
  if (memory_ != nullptr && count <= count_ && bytes == bytes_) return;
  release();
  bytes_ = bytes;
  stride_ = bytes + page;
  count_ = count;
  memory_ = map_memory(static_cast<std::size_t>(count) * stride_);
  for (std::int64_t i = 0; i < count; ++i) {
    if (mprotect(memory_ + static_cast<std::size_t>(i) * stride_, page,
                 PROT_NONE) != 0) {
      throw std::runtime_error(
          "the system protects no more pages below stacks");
    }
  }
}

StackMemory FiberStacks::stack(std::int64_t index) const {
  char* guard = memory_ + static_cast<std::size_t>(index) * stride_;
  return {guard + (stride_ - bytes_), bytes_};
}

bool FiberStacks::is_guard(const void* address) const {
  const auto past = reinterpret_cast<std::uintptr_t>(address) -
                    reinterpret_cast<std::uintptr_t>(memory_);
  return memory_ != nullptr &&
         past < static_cast<std::size_t>(count_) * stride_ &&
         past % stride_ < stride_ - bytes_;
}

}  // namespace device
