#include "device/schedule.hpp"

#include <numeric>
#include <utility>

namespace device {

std::uint64_t SplitMix::next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

std::int64_t SplitMix::below(std::int64_t count) {
  // The remainder prefers small numbers by less than count / 2^64.
  return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
}

BlockOrder::BlockOrder(std::int64_t blocks, std::uint64_t seed)
    : blocks_(blocks) {
  if (seed == 0) return;
  SplitMix random(seed);
  first_ = random.below(blocks);
  // A step that shares no factor with the count meets every block.
  do {
    step_ = 1 + random.below(blocks);
  } while (std::gcd(step_, blocks) != 1);
}

std::int64_t BlockOrder::at(std::int64_t turn) const {
  __extension__ using Wide = unsigned __int128;
  const Wide place = static_cast<Wide>(first_) +
                     static_cast<Wide>(turn) * static_cast<Wide>(step_);
  return static_cast<std::int64_t>(place % static_cast<Wide>(blocks_));
}

int ReadyThreads::take() {
  if (seed_ != 0) {
    const auto count = static_cast<std::int64_t>(threads_.size());
    const auto chosen = static_cast<std::size_t>(random_.below(count));
    std::swap(threads_.front(), threads_[chosen]);
  }
  const int thread = threads_.front();
  threads_.pop_front();
  return thread;
}

std::int64_t ReadyThreads::turn_length() {
  // In order, turns are so long that only a thread that waits for another in a
  // loop notices them.
  constexpr std::int64_t in_order = 1 << 20;
  constexpr std::int64_t mean = 64;
  return seed_ == 0 ? in_order : 1 + random_.below(2 * mean);
}

}  // namespace device
