/// \file observe.hpp
/// Runs what launches kernels on the CPU device, and tells what they did.
#pragma once

#include "device/finding.hpp"
#include "device/launch_counts.hpp"
#include "device/launch_limits.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace device {

/// How the CPU device runs kernels.
struct Options {
  /// Of the order in which threads and blocks run: 0 is by their numbers; with
  /// another, threads also lose their turn in the middle, before an access.
  std::uint64_t seed = 0;
  bool watch = true;  ///< whether accesses are counted and checked
  LaunchLimits limits = limits_of_sm_80();  ///< of the card to be
  std::size_t stack_bytes = 128 * 1024;     ///< for each thread
};

/// What kernels did.
struct Report {
  std::vector<LaunchCounts> launches;  ///< empty when they were not watched
  std::vector<Finding> findings;       ///< faults, each pair of lines once
};

/// Runs something that launches kernels. A launch with a fault ends where the
/// fault is, or does not begin; what follows it still runs.
/// \param options  how
/// \param run      what
/// \return what its launches did
/// \throws std::logic_error when called from within run, or from a second
///         thread
/// \throws whatever run throws
Report observe(const Options& options, const std::function<void()>& run);

}  // namespace device
