#include "device/warp.hpp"

namespace device {

namespace {

std::uint32_t bit(int lane) { return std::uint32_t{1} << lane; }

// Barriers correspond wherever they stand; values are exchanged by lanes that
// execute the same instruction.
bool together(const LaneCall& a, const LaneCall& b) {
  return a.operation == b.operation && a.mask == b.mask &&
         (a.operation == WarpOperation::barrier ||
          same_place(a.place, b.place));
}

}  // namespace

Warp::Warp(int lanes)
    : ended_(lanes == warp_lanes ? 0u : ~std::uint32_t{0} << lanes) {}

bool Warp::complete(const LaneGroup& group) const {
  return (group.call.mask & ~ended_ & ~group.arrived) == 0;
}

std::optional<LaneGroup> Warp::arrive(int lane, const LaneCall& call) {
  given_[index(lane)] = call.value;
  source_[index(lane)] = call.source;
  std::size_t at = 0;
  while (at < groups_.size() && !together(groups_[at].call, call)) ++at;
  if (at == groups_.size()) groups_.push_back({call});
  groups_[at].arrived |= bit(lane);
  if (!complete(groups_[at])) return std::nullopt;
  const LaneGroup group = groups_[at];
  groups_[at] = groups_.back();
  groups_.pop_back();
  exchange(group);
  return group;
}

std::vector<LaneGroup> Warp::end(int lane) {
  ended_ |= bit(lane);
  std::vector<LaneGroup> released;
  for (std::size_t at = 0; at < groups_.size();) {
    if (!complete(groups_[at])) {
      ++at;
      continue;
    }
    released.push_back(groups_[at]);
    groups_[at] = groups_.back();
    groups_.pop_back();
    exchange(released.back());
  }
  return released;
}

// All results are laid out before any lane goes on: it may come back with its
// next value before the others have fetched this one.
void Warp::exchange(const LaneGroup& group) {
  std::uint32_t ballot = 0;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((group.arrived & bit(lane)) != 0 && given_[index(lane)] != 0) {
      ballot |= bit(lane);
    }
  }
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((group.arrived & bit(lane)) == 0) continue;
    const int source = source_[index(lane)];
    if (group.call.operation == WarpOperation::vote) {
      // Above the ballot: who voted.
      results_[index(lane)] = std::uint64_t{group.arrived} << 32 | ballot;
    } else if (group.call.operation == WarpOperation::shuffle) {
      results_[index(lane)] = given_[index(source)];
      if ((group.arrived & bit(source)) == 0 && !missing_) {
        missing_ = {lane, source};
      }
    }
  }
}

}  // namespace device
