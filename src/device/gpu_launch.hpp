/// \file gpu_launch.hpp
/// A launch of a kernel on a graphics card. For nvcc.
#pragma once

#include "device/gpu_launch_checks.hpp"

namespace device {
inline namespace on_gpu {

inline dim3 cuda_counts(const Extent& extent) {
  return dim3(static_cast<unsigned>(extent.x), static_cast<unsigned>(extent.y),
              static_cast<unsigned>(extent.z));
}

/// Starts a kernel. What goes wrong in it shows when its results are fetched.
/// \param name       the kernel's, for messages
/// \param kernel     a __global__ function
/// \param shape      how many threads
/// \param arguments  for each of them the same
/// \throws std::runtime_error where the card does not take it
// [gpu launch]
template <class... Parameters, class... Arguments>
void launch(const KernelName& name, void (*kernel)(Parameters...),
            const LaunchShape& shape, const Arguments&... arguments) {
  prepare_launch(name, reinterpret_cast<const void*>(kernel), shape);
  kernel<<<cuda_counts(shape.grid), cuda_counts(shape.block),
           shape.dynamic_bytes>>>(arguments...);
  check_launched(name);
}
// [gpu launch]

}  // namespace on_gpu
}  // namespace device
