/// \file gpu_state.hpp
/// Whether kernels can run on a graphics card.
#pragma once

#include "device/launch_limits.hpp"

#include <string>

namespace device {

/// \return empty where kernels can run on a graphics card; otherwise the
///         reason, one clause: no nvcc when the program was made, or no card
std::string why_no_gpu();

/// \return the card's name, and what it takes
/// \throws std::runtime_error where why_no_gpu() gives a reason
LaunchLimits limits_of_gpu();

}  // namespace device
