#pragma once

#include "device/finding.hpp"
#include "device/launch_counts.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace device {

enum class AccessKind { read, write, atomic };

/// Whether a thread may do the access it has announced. `stop`: no memory is
/// there, the thread must be abandoned.
enum class Verdict { go_on, stop };

/// So much of mapped memory stands before and after every buffer and the
/// dynamic shared memory, and takes up what is written out of range.
inline constexpr std::size_t guard_bytes = 64 * 1024;

/// Told everything that touches memory while kernels run: counts it, and finds
/// what is wrong. One for the process: the compiler's hooks have no argument
/// that could say which.
class AccessWatch {
 public:
  // Buffers in global memory. A new one is uninitialised.
  void add_buffer(const void* begin, std::size_t bytes, std::string name,
                  std::size_t element_bytes);
  void remove_buffer(const void* begin);
  void host_wrote(const void* begin, std::size_t bytes);  // now initialised

  // What hooks call: `stop` abandons the running thread and never returns;
  // `turn` may let others run, and then sets a new countdown. It is called
  // before the access at which `turn_after` runs out (0: never).
  void thread_callbacks(void (*stop)(), void (*turn)());
  void turn_after(std::int64_t accesses);

  // One launch at a time; within it one block at a time.
  void launch_begins(std::string_view kernel, std::int64_t blocks,
                     int threads_per_block);
  void block_begins(std::int64_t block, void* dynamic_shared,
                    std::size_t dynamic_shared_bytes);
  // The accesses that follow are this thread's; those to its stack are ignored.
  void thread_runs(int thread, const void* stack, std::size_t stack_bytes);
  void no_thread_runs();
  void block_barrier_passed();                             // by all threads
  void warp_barrier_passed(int warp, std::uint32_t mask);  // by those lanes
  void block_ends();
  LaunchCounts launch_ends();
  std::vector<Finding> take_findings();  // since the last call

  // From the hooks. `code` is an address in the kernel's code.
  Verdict access(const void* address, std::size_t bytes, AccessKind kind,
                 const void* code);
};

/// \return the one of the process
AccessWatch& access_watch();

}  // namespace device
