#pragma once

#include "device/barrier_order.hpp"
#include "device/launch_counts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace device {

enum class AccessKind { read, write, atomic };

/// One access by one thread, in one number, so that equal steps from access to
/// access are equal differences.
class PackedAccess {
 public:
  PackedAccess() = default;
  PackedAccess(std::uintptr_t at, std::size_t bytes, bool shared)
      : bits_(static_cast<std::uint64_t>(at) |
              static_cast<std::uint64_t>(bytes) << address_bits |
              (shared ? shared_bit : 0)) {}
  explicit PackedAccess(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits() const { return bits_; }
  std::uint64_t at() const { return bits_ & address_mask; }
  std::uint64_t sort() const { return bits_ >> address_bits; }  // all but `at`
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(sort() & 0xff);
  }
  bool shared() const { return (bits_ & shared_bit) != 0; }

 private:
  static constexpr int address_bits = 48;
  static constexpr std::uint64_t address_mask = (1ULL << address_bits) - 1;
  static constexpr std::uint64_t shared_bit = 1ULL << 62;
  std::uint64_t bits_ = 0;
};

/// What one lane does in a request.
struct LaneAccess {
  int lane = 0;
  PackedAccess access;
};

/// What the lanes of a warp do in one instruction; not all need take part.
class WarpRequest {
 public:
  void add(LaneAccess access) { lanes_[size_++] = access; }
  std::size_t size() const { return size_; }
  const LaneAccess& operator[](std::size_t i) const { return lanes_[i]; }
  const LaneAccess* begin() const { return lanes_.data(); }
  const LaneAccess* end() const { return lanes_.data() + size_; }

 private:
  std::array<LaneAccess, lanes_per_warp> lanes_{};
  std::size_t size_ = 0;
};

/// Accesses of one thread at one place in the code, with equal steps.
struct Run {
  std::uint64_t first = 0;   ///< PackedAccess
  std::uint64_t stride = 0;  ///< modulo 2^64
  std::uint32_t count = 0;
};

/// What a thread did at one place in the code since a barrier.
struct LaneLog {
  Run run;                  // the one that grows
  std::uint64_t next = 0;   // what would make it grow
  std::vector<Run> before;
};

/// What one place in the code did.
struct SiteCounts {
  AccessKind kind = AccessKind::read;
  Traffic global;
  Traffic shared;
  WarpRequest global_sample;       // see Sample
  WarpRequest shared_sample;
  std::vector<LaneLog> lanes;      // by thread of the block
  std::uint32_t touched_warps = 0;  // since their last barriers
};

// [requests]
/// Puts the accesses of threads together to requests of warps.
///
/// The CPU device runs one thread after the other, so that the lanes of a
/// request are far apart in time. What a thread does at one place is kept as
/// runs of equal steps until its warp passes a barrier. Then the lanes' first
/// accesses are the first request, their second ones the second, and so on.
class RequestCounts {
 public:
  void launch_begins(int threads_per_block);
  void record(SiteCounts& site, int thread, PackedAccess access);
  /// All lanes of the warp have passed a barrier, or the block ends.
  void warp_is_together(int warp);
  void block_is_together();
  /// Requests were cut short once, because the accesses since the barrier were
  /// too many and too irregular to be kept.
  bool cut_short() const { return cut_short_; }
// [requests]

 private:
  void begin_run(SiteCounts& site, LaneLog& log, int thread,
                 PackedAccess access);

  void forget(SiteCounts& site, int warp);

  int threads_ = 0;
  std::vector<std::vector<SiteCounts*>> touched_;  // by warp
  std::size_t runs_kept_ = 0;
  bool cut_short_ = false;
};

inline void RequestCounts::record(SiteCounts& site, int thread,
                                  PackedAccess access) {
  if (site.lanes.empty()) {
    site.lanes.resize(static_cast<std::size_t>(threads_));
  }
  LaneLog& log = site.lanes[static_cast<std::size_t>(thread)];
  if (log.run.count > 1 && access.bits() == log.next) {
    ++log.run.count;
    log.next += log.run.stride;
    return;
  }
  begin_run(site, log, thread, access);
}

/// How many 32-byte segments of global memory a request touches: Nvidia's
/// profiler calls them sectors.
std::int64_t segments_of(const WarpRequest& request);

/// How many passes over shared memory's 32 banks of 4 bytes a request takes,
/// all of whose accesses have one width. In one pass each bank gives one word,
/// to any number of lanes. Accesses of 8 bytes go by half-warps, of 16 bytes
/// by quarters.
std::int64_t bank_passes_of(const WarpRequest& request);

}  // namespace device
