/// \file kernel_run.hpp
/// A launch while it runs: blocks in turn, a fiber for each thread.
#pragma once

#include "device/fiber.hpp"
#include "device/fiber_stacks.hpp"
#include "device/finding.hpp"
#include "device/launch_shape.hpp"
#include "device/place.hpp"
#include "device/schedule.hpp"
#include "device/warp.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace device {

/// Calls a kernel with its arguments.
struct KernelCall {
  void (*call)(const void* arguments) = nullptr;
  const void* arguments = nullptr;
};

/// What a barrier with a predicate tells each thread.
struct Votes {
  int count = 0;  ///< threads whose predicate was not 0
  int of = 0;     ///< threads in all
};

/// A launch while it runs. Its threads call what stands under "from a thread";
/// a thread that waits lets others run.
class KernelRun {
 public:
  /// \param name    the kernel's
  /// \param shape   within the limits
  /// \param call    what each thread runs
  /// \param seed    of the order; 0: threads and blocks by their numbers
  /// \param watch   whether accesses are watched
  /// \param stacks  at least one for each thread of a block
  KernelRun(const KernelName& name, const LaunchShape& shape,
            const KernelCall& call, std::uint64_t seed, bool watch,
            const FiberStacks& stacks);
  ~KernelRun();
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;

  /// Runs every block, or as far as it goes: a fault ends the launch.
  /// \throws whatever the kernel throws
  void run();

  /// \return what was wrong with barriers and shuffles
  const std::vector<Finding>& findings() const { return findings_; }

  /// \return how often a block has passed a barrier
  std::int64_t barriers() const { return barriers_; }

  /// \return the launch that runs now
  /// \throws std::logic_error when none does
  static KernelRun& now();

  // From a thread.
  struct Thread;
  const Thread& running() const { return *running_; }
  const LaunchShape& shape() const { return shape_; }
  std::int64_t block() const { return block_; }
  bool watched() const { return watch_; }
  std::byte* dynamic_shared() { return dynamic_shared_; }

  Votes block_barrier(const Place& place, bool predicate);
  /// \return for a shuffle the bits; for a vote, those of the lanes' answers
  ///         and, 32 bits higher, the lanes that took part
  std::uint64_t warp_operation(const LaneCall& call);
  /// Ends the launch for a shuffle whose width is no power of 2 up to 32.
  [[noreturn]] void refuse_width(int width, const Place& place);
  /// Lets others run, if there are any.
  void take_turns();
  /// Tells that an atomic is to be done; may let others run before.
  void atomic_comes();
  /// Ends this thread where it is, for good.
  [[noreturn]] void stop_thread();

 private:
  enum class State { ready, at_block_barrier, at_warp, ended, stopped };

  bool run_block(std::int64_t block);  // whether the launch goes on
  void begin_block(std::int64_t block);
  void run_threads();
  void resume(Thread& thread);
  static void thread_body(void* thread);
  void thread_ends(Thread& thread);
  void pause(State state) noexcept;
  // These end the launch, for what they find. They stand by themselves, since
  // in a page nothing that cleans up after exceptions can pause.
  [[gnu::noinline]] void note_not_in_mask(const LaneCall& call);
  [[gnu::noinline]] void note_width(int width, const Place& place);
  void announce();
  void hush();
  void release_block();
  void release_lanes(int warp, const LaneGroup& group);
  void check_exchange(int warp, const LaneGroup& group);
  void find_who_is_stuck();
  bool anyone_stopped() const;
  Finding finding(FindingKind kind) const;
  Actor actor(const Thread& thread) const;
  void report_warp(const Thread& waiting);
  void report_barrier_not_reached(const Thread& waiting, const Thread& ended);

  KernelName name_;
  LaunchShape shape_;
  KernelCall call_;
  std::uint64_t seed_;
  bool watch_;
  const FiberStacks& stacks_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<std::byte> shared_memory_;  // with guards on both sides
  std::byte* dynamic_shared_ = nullptr;
  ReadyThreads ready_;
  Thread* running_ = nullptr;
  std::int64_t atomics_to_turn_;
  std::int64_t block_ = 0;
  int at_barrier_ = 0;       // threads that wait for the block
  int yes_ = 0;              // of them, with a predicate that is not 0
  Votes votes_;              // at the last barrier that all passed
  Place barrier_;            // where the first of them waits
  bool places_differ_ = false;
  bool over_ = false;
  std::int64_t barriers_ = 0;
  std::vector<Finding> findings_;
  std::exception_ptr thrown_;
};

/// A thread of the block that runs.
struct KernelRun::Thread {
  KernelRun* run = nullptr;
  int number = 0;  ///< linear within the block
  std::uint32_t x = 0, y = 0, z = 0;
  State state = State::ready;
  Place place;     ///< where it waits
  Fiber fiber;

  int lane() const { return number % warp_lanes; }
  int warp() const { return number / warp_lanes; }
};

}  // namespace device
