#include "device/gpu_state.hpp"

#include "device/gpu_check.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace device {

namespace {

cudaDeviceProp first_card() {
  cudaDeviceProp card{};
  check_gpu(cudaGetDeviceProperties(&card, 0), "GPU 0", "looking at it");
  return card;
}

}  // namespace

std::string why_no_gpu() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count);
      error != cudaSuccess) {
    cudaGetLastError();  // or the next call would report it again
    if (error == cudaErrorInsufficientDriver) {
      return "no GPU can be used: there is no driver for one, or it is older "
             "than the CUDA that this program was built with";
    }
    return fmt::format("no GPU can be used: CUDA says \"{}\"",
                       cudaGetErrorString(error));
  }
  if (count == 0) return "no GPU can be used: CUDA finds none";
  const cudaDeviceProp card = first_card();
  if (card.major < 8) {
    return fmt::format("the {} has compute capability {}.{}, and the kernels "
                       "are made for 8.0 and newer",
                       card.name, card.major, card.minor);
  }
  return "";
}

LaunchLimits limits_of_gpu() {
  if (const std::string why = why_no_gpu(); !why.empty()) {
    throw std::runtime_error(why);
  }
  const cudaDeviceProp card = first_card();
  return {.card = card.name,
          .dynamic_bytes =
              static_cast<std::int64_t>(card.sharedMemPerBlockOptin),
          .static_bytes = static_cast<std::int64_t>(card.sharedMemPerBlock),
          .block_threads = card.maxThreadsPerBlock,
          .grid = {card.maxGridSize[0], card.maxGridSize[1],
                   card.maxGridSize[2]},
          .block = {card.maxThreadsDim[0], card.maxThreadsDim[1],
                    card.maxThreadsDim[2]}};
}

}  // namespace device
