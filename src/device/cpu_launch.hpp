/// \file cpu_launch.hpp
/// A launch of a kernel on the CPU device.
#pragma once

#include "device/cpu_device.hpp"

#include <cstddef>
#include <tuple>
#include <utility>

namespace device {
inline namespace on_cpu_device {

/// A kernel with its arguments. Reading them is no access of the kernel's, so
/// what does is kept from the hooks.
template <class... Parameters>
struct BoundKernel {
  void (*kernel)(Parameters...);
  std::tuple<Parameters...> arguments;

  template <std::size_t... I>
  __attribute__((no_sanitize("thread"))) void call(
      std::index_sequence<I...>) const {
    kernel(std::get<I>(arguments)...);
  }

  __attribute__((no_sanitize("thread"))) static void call_at(const void* self) {
    static_cast<const BoundKernel*>(self)->call(
        std::index_sequence_for<Parameters...>{});
  }
};

/// Runs a kernel: what `kernel<<<…>>>(arguments…)` is on a graphics card.
/// \param name       the kernel's, for messages
/// \param kernel     a __global__ function
/// \param shape      how many threads
/// \param arguments  for each of them the same
/// \throws std::runtime_error for a fault, outside of observe()
template <class... Parameters, class... Arguments>
void launch(const KernelName& name, void (*kernel)(Parameters...),
            const LaunchShape& shape, const Arguments&... arguments) {
  const BoundKernel<Parameters...> bound{kernel, {arguments...}};
  run_kernel(name, shape, {&BoundKernel<Parameters...>::call_at, &bound});
}

/// Waits for what was launched: here it has ended.
inline void synchronise() {}

}  // namespace on_cpu_device
}  // namespace device
