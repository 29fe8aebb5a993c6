#pragma once

#include "device/finding.hpp"
#include "device/launch_counts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace device {

enum class AccessKind { read, write, atomic };

/// Told everything that touches memory while kernels run: counts it, and finds
/// what is wrong. One for the process: the compiler's hooks have no argument
/// that could say which.
class AccessWatch {
 public:
  // Buffers in global memory. A new one is uninitialised.
  void add_buffer(const void* begin, std::size_t bytes, std::string name);
  void remove_buffer(const void* begin);
  void host_wrote(const void* begin, std::size_t bytes);  // now initialised

  // One launch at a time; within it one block at a time.
  void launch_begins(std::string_view kernel, std::int64_t blocks,
                     int threads_per_block);
  void block_begins(std::int64_t block, void* dynamic_shared,
                    std::size_t dynamic_shared_bytes);
  void thread_runs(int thread);          // the accesses that follow are its own
  void block_barrier_passed();           // by all threads of the block
  void warp_barrier_passed(int warp);    // by all lanes of a mask of that warp
  void block_ends();
  LaunchCounts launch_ends();

  // From the hooks. `code` is an address in the kernel's code.
  void access(const void* address, std::size_t bytes, AccessKind kind,
              const void* code);
};

}  // namespace device
