/// \file cuda_source.hpp
/// What a file of kernels includes. Everything in such a file stands in
/// `namespace KERNEL_NAMESPACE { … }`: nvcc makes of it what runs on a graphics
/// card, the host's compiler what runs on the CPU device, and a program may
/// hold both.
#pragma once

#ifdef __CUDACC__
#define KERNEL_NAMESPACE on_gpu
#include "device/gpu_words.hpp"
#include "device/gpu_launch.hpp"
#else
#define KERNEL_NAMESPACE on_cpu_device
#include "device/cuda_words.hpp"
#include "device/cpu_launch.hpp"
#endif

#include "device/device_array.hpp"

namespace KERNEL_NAMESPACE {

/// \return the shared memory whose size the launch gave, as numbers of a type
template <class T>
__device__ T* dynamic_shared() {
  return static_cast<T*>(dynamic_shared_bytes());
}

}  // namespace KERNEL_NAMESPACE
