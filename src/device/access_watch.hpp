#pragma once

#include "device/barrier_order.hpp"
#include "device/finding.hpp"
#include "device/finding_list.hpp"
#include "device/launch_counts.hpp"
#include "device/memory_map.hpp"
#include "device/request_counts.hpp"
#include "device/site_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace device {

/// What becomes of the thread after an access.
enum class Verdict {
  go_on,
  stop  ///< the access must not happen: it would crash or spoil the program
};

/// Mapped memory that its owner leaves before and after each buffer and the
/// dynamic shared memory, so that a stray access harms nobody.
inline constexpr std::size_t guard_bytes = 64 * 1024;

/// Told everything that touches memory while kernels run: counts it, and finds
/// what is wrong. One for the process (`access_watch()`): the compiler's hooks
/// have no argument that could say which.
class AccessWatch {
 public:
  // Buffers in global memory. A new one is uninitialised.
  void add_buffer(const void* begin, std::size_t bytes, std::string name,
                  std::size_t element_bytes = 4);
  void remove_buffer(const void* begin);
  void host_wrote(const void* begin, std::size_t bytes);  // now initialised

  // One launch at a time; within it one block at a time.
  void launch_begins(std::string_view kernel, std::int64_t blocks,
                     int threads_per_block);
  void block_begins(std::int64_t block, const void* dynamic_shared,
                    std::size_t dynamic_shared_bytes);
  // The accesses that follow are its own. `stack`: its lowest address.
  void thread_runs(int thread, const void* stack, std::size_t stack_bytes);
  void no_thread_runs() { running_ = nullptr; }  // but the device's own code
  void block_barrier_passed();                 // by all threads of the block
  // __syncwarp passed by all lanes of the mask. Shuffles order no memory.
  void warp_barrier_passed(int warp, std::uint32_t lanes);
  void block_ends();
  LaunchCounts launch_ends();
  std::vector<Finding> take_findings();

  // What the hooks call: `stop` never returns; `turn` may run other threads,
  // and is called before one of the accesses to come (0: before none).
  // Both get a null pointer.
  using Callback = void (*)(const void*);
  void thread_callbacks(Callback stop, Callback turn);
  void turn_after(std::int64_t accesses) { until_turn_ = accesses; }

  /// The watch while a thread of a kernel runs, null while other code does:
  /// code that is shared with the kernels' files may have hooks too.
  static AccessWatch* running() { return running_; }

  /// An access by the running thread. `bytes`: 1, 2, 4, 8 or 16. `code`: the
  /// address in the kernel's code that the call that reports it returns to.
  Verdict access(const void* address, std::size_t bytes, AccessKind kind,
                 const void* code);
  /// The same, and does what the verdict says. For the hooks.
  void hooked(const void* address, std::size_t bytes, AccessKind kind,
              const void* code);
  /// A stretch of memory of any length, as accesses of up to 4 bytes.
  void hooked_range(const void* address, std::size_t bytes, AccessKind kind,
                    const void* code);

 private:
  // A read of a word that nobody had written. Where somebody else writes it
  // with no barrier between, then that is the fault, and told as a race.
  struct Unwritten {
    Region* region;
    Stamp reader;
    bool atomic;
  };

  Verdict judge(std::uintptr_t at, std::size_t bytes, AccessKind kind,
                const void* code);
  void add_program_memory();
  void remove_dynamic_shared();
  void add_sample(LineCounts& line, const WarpRequest& request,
                  AccessKind kind);
  void end_interval();
  Region* region_of(std::uintptr_t at, Site& site);
  bool on_own_stack(std::uintptr_t at) const {
    return at - stack_ < stack_bytes_;
  }
  void touch_words(Region& region, std::uintptr_t at, std::size_t bytes,
                   AccessKind kind, Stamp me);
  void read_unwritten(Region& region, std::uintptr_t word, Stamp me,
                      bool atomic);
  void tell_unwritten(MemoryKind kind);
  void race(const Region& region, std::uintptr_t word, Stamp me,
            AccessKind kind, Stamp other, bool other_wrote, bool other_atomic);
  void misaligned(const Region& region, std::uintptr_t at, std::size_t bytes,
                  AccessKind kind, Stamp me);
  Verdict out_of_range(std::uintptr_t at, std::size_t bytes, AccessKind kind,
                       Stamp me);
  Actor actor(Stamp stamp, bool writes, bool atomic);
  Finding finding(FindingKind kind, const Region& region, std::uintptr_t at);

  MemoryMap memory_;
  SiteTable sites_;
  BarrierOrder order_;
  RequestCounts requests_;
  FindingList findings_;
  std::unordered_map<std::uintptr_t, Unwritten> unwritten_;  // by word
  LaunchCounts counts_;
  bool program_known_ = false;
  std::vector<Stretch> variables_;  // where static shared memory is
  std::uintptr_t dynamic_shared_ = 0;
  std::size_t dynamic_shared_bytes_ = 0;

  // Kernels run in one thread of the system; others may call hooks meanwhile.
  inline static constinit thread_local AccessWatch* running_ = nullptr;
  int thread_ = 0;
  std::uint32_t tick_ = 0;
  std::uintptr_t stack_ = 0;
  std::size_t stack_bytes_ = 0;
  std::int64_t until_turn_ = 0;
  Callback stop_ = nullptr;
  Callback turn_ = nullptr;
};

/// The one of this process.
AccessWatch& access_watch();

}  // namespace device
