/// \file warp.hpp
/// The lanes of a warp, where they wait for each other.
#pragma once

#include "device/place.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace device {

inline constexpr int warp_lanes = 32;

/// What lanes can do together.
enum class WarpOperation { barrier, shuffle, vote };

/// What a lane brings to an operation.
struct LaneCall {
  WarpOperation operation = WarpOperation::barrier;
  std::uint32_t mask = 0;   ///< the lanes that the caller says take part
  Place place;
  std::uint64_t value = 0;  ///< shuffle: the bits that it gives; vote: 0 or 1
  int source = 0;           ///< shuffle: the lane whose value it takes
};

/// Who waits together: lanes with one mask, at one instruction.
struct LaneGroup {
  LaneCall call;               ///< of the first that came
  std::uint32_t arrived = 0;
};

/// The lanes of one warp. A lane that has ended takes part in nothing and is
/// waited for by nobody (CUDA C++ Programming Guide, "Warp Shuffle Functions":
/// all non-exited threads named in the mask).
class Warp {
 public:
  /// \param lanes  that the block has of this warp, 1 to 32
  explicit Warp(int lanes);

  /// A lane arrives.
  /// \param lane  0 to 31, named in call.mask
  /// \param call  what it calls
  /// \return the lanes that can go on, if it was the last
  std::optional<LaneGroup> arrive(int lane, const LaneCall& call);

  /// A lane has ended.
  /// \param lane  0 to 31
  /// \return the groups that waited for nobody else
  std::vector<LaneGroup> end(int lane);

  /// \param lane  that has taken part in an operation
  /// \return the bits that it got
  std::uint64_t result(int lane) const { return results_[index(lane)]; }

  /// \return the lane whose value a lane took without its having given one, if
  ///         the last operation had such: {taker, giver}
  std::optional<std::array<int, 2>> missing() const { return missing_; }

  /// \return who waits
  const std::vector<LaneGroup>& waiting() const { return groups_; }

  /// \return the lanes that have ended or never were
  std::uint32_t ended() const { return ended_; }

 private:
  static std::size_t index(int lane) { return static_cast<std::size_t>(lane); }
  bool complete(const LaneGroup& group) const;
  void exchange(const LaneGroup& group);

  std::vector<LaneGroup> groups_;
  std::uint32_t ended_;
  std::array<std::uint64_t, warp_lanes> given_{};
  std::array<int, warp_lanes> source_{};
  std::array<std::uint64_t, warp_lanes> results_{};
  std::optional<std::array<int, 2>> missing_;
};

}  // namespace device
