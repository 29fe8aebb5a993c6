// Stands for gpu_state.cpp where nvcc was not found.
#include "device/gpu_state.hpp"

#include <stdexcept>

namespace device {

std::string why_no_gpu() {
#ifdef MHA_CUDA_OFF
  return "this build has no GPU code: it was configured with MHA_CUDA=OFF";
#else
  return "this build has no GPU code: nvcc was not found when it was "
         "configured";
#endif
}

LaunchLimits limits_of_gpu() { throw std::runtime_error(why_no_gpu()); }

}  // namespace device
