#include "device/gpu_check.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace device {
inline namespace on_gpu {

void check_gpu(cudaError_t result, const std::string& what, const char* doing) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // or the next launch would be blamed for it
  throw std::runtime_error(fmt::format("{}: {} failed on the graphics card: {}",
                                       what, doing,
                                       cudaGetErrorString(result)));
}

}  // namespace on_gpu
}  // namespace device
