#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace device {

inline constexpr int lanes_per_warp = 32;

/// Who touched a word, and when. Time is counted in ticks: each barrier that
/// is passed begins a new one, in the whole program.
struct Stamp {
  std::uint32_t tick = 0;  ///< 0: nobody
  std::uint16_t thread = 0;
  std::uint16_t site = 0;  ///< the access in the kernel's code
};

inline int warp_of(int thread) { return thread / lanes_per_warp; }
inline int lane_of(int thread) { return thread % lanes_per_warp; }

/// Which accesses the barriers put in order. Between two barriers of a block
/// nothing orders its threads, whatever order the CPU device runs them in,
/// but for __syncwarp among the lanes that it names.
class BarrierOrder {
 public:
  void launch_begins(int threads_per_block);
  void block_begins(std::int64_t block);
  void block_barrier();
  void warp_barrier(int warp, std::uint32_t lanes);

  std::uint32_t launch_start() const { return launch_start_; }
  std::uint32_t block_start() const { return block_start_; }
  /// The first tick after the block's last barrier.
  std::uint32_t interval_start() const { return interval_start_; }
  /// The tick that a thread's accesses belong to now.
  std::uint32_t now(int thread) const {
    return std::max(own_[static_cast<std::size_t>(thread)], interval_start_);
  }
  // [unordered]
  /// Whether the running thread may have met `before`, of its own block, in
  /// either order.
  bool unordered(Stamp before, int thread) const {
    if (before.tick < interval_start_ || before.thread == thread) return false;
    return warp_of(before.thread) != warp_of(thread) ||
           !lane_seen(thread, lane_of(before.thread), before.tick);
  }
  // [unordered]
  /// Whether a __syncwarp puts what that lane of the thread's warp did at that
  /// tick before the thread.
  bool lane_seen(int thread, int lane, std::uint32_t tick) const {
    return seen_[static_cast<std::size_t>(thread)]
                [static_cast<std::size_t>(lane)] >= tick;
  }
  /// Whether these are all lanes that the warp has.
  bool all_lanes(int warp, std::uint32_t lanes) const;
  /// The block that ran at that tick of this launch.
  std::int64_t block_at(std::uint32_t tick) const;
  /// Whether the ticks run out: every stamp must be forgotten, then restart.
  bool nearly_worn_out() const { return tick_ > 3'000'000'000; }
  void restart() { *this = BarrierOrder(); }

 private:
  struct BlockStart {
    std::uint32_t tick;
    std::int64_t block;
  };
  using LaneTicks = std::array<std::uint32_t, lanes_per_warp>;

  std::uint32_t tick_ = 0;
  std::uint32_t launch_start_ = 0;
  std::uint32_t block_start_ = 0;
  std::uint32_t interval_start_ = 0;
  std::vector<std::uint32_t> own_;  // a thread's tick since its __syncwarp
  // Of each thread: the last tick of each lane of its warp that a barrier puts
  // before it (vector clocks: Mattern 1989; for races, FastTrack, Flanagan and
  // Freund 2009).
  std::vector<LaneTicks> seen_;
  std::vector<BlockStart> blocks_;
};

}  // namespace device
