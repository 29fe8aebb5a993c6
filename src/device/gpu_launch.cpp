#include "device/gpu_launch_checks.hpp"

#include "device/gpu_check.hpp"
#include "device/gpu_state.hpp"
#include "device/launch_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace device {
inline namespace on_gpu {

namespace {

std::string described(const KernelName& name) {
  return fmt::format("{} ({}:{})", name.name, name.file, name.line);
}

void check(cudaError_t result, const KernelName& name, const char* doing) {
  if (result != cudaSuccess) check_gpu(result, described(name), doing);
}

// What its registers leave of the card's limits, which are asked for once.
LaunchLimits limits_for(const cudaFuncAttributes& attributes) {
  static const LaunchLimits of_card = limits_of_gpu();
  LaunchLimits limits = of_card;
  limits.block_threads = std::min<std::int64_t>(limits.block_threads,
                                                attributes.maxThreadsPerBlock);
  return limits;
}

}  // namespace

void prepare_launch(const KernelName& name, const void* kernel,
                    const LaunchShape& shape) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), name,
        "looking at the kernel");
  const LaunchLimits limits = limits_for(attributes);
  std::string why = over_limit(shape, limits);
  if (why.empty()) {
    why = over_shared_limit(
        static_cast<std::int64_t>(attributes.sharedSizeBytes),
        static_cast<std::int64_t>(shape.dynamic_bytes), limits);
  }
  if (!why.empty()) {
    throw std::runtime_error(fmt::format(
        "{}: the launch is over the limits of {}: {}", described(name),
        limits.card, why));
  }
  constexpr std::size_t without_asking = 48 * 1024;
  if (shape.dynamic_bytes + attributes.sharedSizeBytes > without_asking) {
    check(cudaFuncSetAttribute(kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.dynamic_bytes)),
          name, "asking for shared memory");
  }
}

void check_launched(const KernelName& name) {
  check(cudaGetLastError(), name, "launching");
}

void synchronise() {
  check_gpu(cudaDeviceSynchronize(), "the kernels", "running");
}

}  // namespace on_gpu
}  // namespace device
