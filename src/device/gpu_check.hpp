/// \file gpu_check.hpp
/// What CUDA's calls return, looked at.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace device {
inline namespace on_gpu {

/// \param result  of a call of CUDA's
/// \param what    the array or kernel that it was for
/// \param doing   what was being done
/// \throws std::runtime_error when it failed, with CUDA's words for it
void check_gpu(cudaError_t result, const std::string& what, const char* doing);

}  // namespace on_gpu
}  // namespace device
