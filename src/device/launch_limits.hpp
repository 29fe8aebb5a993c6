/// \file launch_limits.hpp
/// What a graphics card refuses to launch.
#pragma once

#include "device/launch_shape.hpp"

#include <string>

namespace device {

/// The largest launch that a card takes. CUDA C++ Programming Guide, "Compute
/// Capabilities": the table of technical specifications.
struct LaunchLimits {
  std::string card;                       ///< for messages
  std::int64_t dynamic_bytes = 0;         ///< shared memory, static included
  std::int64_t static_bytes = 48 * 1024;  ///< of it, what may be static
  std::int64_t block_threads = 1024;
  Extent grid{2'147'483'647, 65'535, 65'535};
  Extent block{1024, 1024, 64};
};

/// \return the limits of compute capability 8.0 (A100): 163 KiB
LaunchLimits limits_of_sm_80();

/// \return the limits of compute capability 9.0 (H100): 227 KiB
LaunchLimits limits_of_sm_90();

/// \param shape   of the launch
/// \param limits  of the card
/// \return what is wrong, with both numbers; empty when the card takes it
std::string over_limit(const LaunchShape& shape, const LaunchLimits& limits);

/// What a card knows before the launch, and the CPU device after it: how much
/// static shared memory the kernel has.
/// \param static_bytes   of the variables that it declares __shared__
/// \param dynamic_bytes  of its launch
/// \param limits         of the card
/// \return what is wrong, with both numbers; empty when the card takes it
std::string over_shared_limit(std::int64_t static_bytes,
                              std::int64_t dynamic_bytes,
                              const LaunchLimits& limits);

}  // namespace device
