/// \file gpu_words.hpp
/// What the kernels use besides CUDA's own words. For nvcc.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace on_gpu {

/// \return the block's dynamic shared memory
__device__ inline void* dynamic_shared_bytes() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return bytes;
}

// One access of 16 bytes, or of 8 for four numbers of 16 bits.

__device__ inline float4 load4(const float* address) {
  return *reinterpret_cast<const float4*>(address);
}

__device__ inline void store4(float* address, float4 value) {
  *reinterpret_cast<float4*>(address) = value;
}

__device__ inline float4 load4(const __nv_bfloat16* address) {
  const uint2 bits = *reinterpret_cast<const uint2*>(address);
  return make_float4(__uint_as_float(bits.x << 16),
                     __uint_as_float(bits.x & 0xffff0000u),
                     __uint_as_float(bits.y << 16),
                     __uint_as_float(bits.y & 0xffff0000u));
}

__device__ inline void store4(__nv_bfloat16* address, float4 value) {
  const auto bits = [](float low, float high) {
    const unsigned upper = __bfloat16_as_ushort(__float2bfloat16(high));
    return __bfloat16_as_ushort(__float2bfloat16(low)) | upper << 16;
  };
  *reinterpret_cast<uint2*>(address) =
      make_uint2(bits(value.x, value.y), bits(value.z, value.w));
}

}  // namespace on_gpu
