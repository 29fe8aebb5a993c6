/// \file bfloat16.hpp
/// Numbers of 16 bits: the upper half of a float. CUDA's names, for the CPU
/// device.
#pragma once

#include <cstdint>
#include <cstring>

namespace on_cpu_device {

/// The sign, the exponent and seven more bits of a float.
struct __nv_bfloat16 {
  // With a value, so that nothing is left to do when a static array of them is
  // first used: g++ would watch over that with an atomic variable.
  std::uint16_t bits = 0;

  constexpr __nv_bfloat16() = default;

  /// \param x  any number; becomes the nearest of 16 bits, the even one of two
  ///           as near; NaN becomes 0x7fff, as in CUDA
  __nv_bfloat16(float x) {
    std::uint32_t wide = 0;
    __builtin_memcpy(&wide, &x, sizeof wide);
    const std::uint32_t odd = wide >> 16 & 1u;
    bits = static_cast<std::uint16_t>((wide + 0x7fffu + odd) >> 16);
    if (x != x) bits = 0x7fff;
  }

  /// \return the same number
  operator float() const {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    float x = 0;
    __builtin_memcpy(&x, &wide, sizeof x);
    return x;
  }
};

inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }

}  // namespace on_cpu_device
