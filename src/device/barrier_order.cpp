#include "device/barrier_order.hpp"

namespace device {

void BarrierOrder::launch_begins(int threads_per_block) {
  launch_start_ = tick_ + 1;
  own_.assign(static_cast<std::size_t>(threads_per_block), 0);
  seen_.assign(static_cast<std::size_t>(threads_per_block), LaneTicks{});
  blocks_.clear();
}

void BarrierOrder::block_begins(std::int64_t block) {
  block_barrier();
  block_start_ = tick_;
  blocks_.push_back({tick_, block});
}

void BarrierOrder::block_barrier() {
  ++tick_;
  interval_start_ = tick_;  // outdates what own_ and seen_ hold
}

void BarrierOrder::warp_barrier(int warp, std::uint32_t lanes) {
  const std::size_t first = static_cast<std::size_t>(warp) * lanes_per_warp;
  const std::size_t count =
      std::min<std::size_t>(lanes_per_warp, own_.size() - first);
  LaneTicks together{};
  for (std::size_t lane = 0; lane < count; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    LaneTicks& seen = seen_[first + lane];
    seen[lane] = now(static_cast<int>(first + lane));
    for (std::size_t other = 0; other < lanes_per_warp; ++other) {
      together[other] = std::max(together[other], seen[other]);
    }
  }
  ++tick_;
  for (std::size_t lane = 0; lane < count; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    seen_[first + lane] = together;
    own_[first + lane] = tick_;
  }
}

bool BarrierOrder::all_lanes(int warp, std::uint32_t lanes) const {
  const std::size_t first = static_cast<std::size_t>(warp) * lanes_per_warp;
  const std::size_t absent =
      lanes_per_warp -
      std::min<std::size_t>(lanes_per_warp, own_.size() - first);
  return static_cast<std::uint32_t>(lanes << absent) == ~0U << absent;
}

std::int64_t BarrierOrder::block_at(std::uint32_t tick) const {
  const auto after = std::upper_bound(
      blocks_.begin(), blocks_.end(), tick,
      [](std::uint32_t t, const BlockStart& start) { return t < start.tick; });
  return after == blocks_.begin() ? 0 : std::prev(after)->block;
}

}  // namespace device
