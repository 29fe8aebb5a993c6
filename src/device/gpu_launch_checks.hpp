/// \file gpu_launch_checks.hpp
/// What is done before and after a launch on a graphics card.
#pragma once

#include "device/launch_shape.hpp"

namespace device {
inline namespace on_gpu {

/// Refuses what the card at hand does not take, and asks for the shared memory.
/// \param name    the kernel's, for messages
/// \param kernel  its address
/// \param shape   of the launch
/// \throws std::runtime_error with what is over which limit
void prepare_launch(const KernelName& name, const void* kernel,
                    const LaunchShape& shape);

/// Looks at what CUDA says of the launch.
/// \param name  the kernel's, for messages
/// \throws std::runtime_error where it did not begin
void check_launched(const KernelName& name);

/// Waits for what was launched.
/// \throws std::runtime_error where it failed
void synchronise();

}  // namespace on_gpu
}  // namespace device
