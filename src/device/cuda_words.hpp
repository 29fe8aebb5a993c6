/// \file cuda_words.hpp
/// CUDA's words for device code, as the CPU device means them. They live in the
/// namespace of the kernels, so that they meet no header of CUDA's.
#pragma once

#include "device/bfloat16.hpp"
#include "device/cuda_vectors.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

// NOLINTBEGIN: CUDA's names
#ifdef __EMSCRIPTEN__
#define KERNEL_MARK __attribute__((annotate("kernel")))  // for mark_sites.mjs
#else
#define KERNEL_MARK
#endif

// [words]
#define __global__ KERNEL_MARK
#define __device__ KERNEL_MARK
#define __host__
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

#define threadIdx (::on_cpu_device::thread_index())
#define blockIdx (::on_cpu_device::block_index())
#define blockDim (::on_cpu_device::block_size())
#define gridDim (::on_cpu_device::grid_size())
#define warpSize 32
// [words]

// Where a call stands is filled in by the compiler.
#define HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace on_cpu_device {

// The same for as long as a thread lives, so a compiler may ask once.
[[gnu::const]] uint3 thread_index();
[[gnu::const]] uint3 block_index();
[[gnu::const]] dim3 block_size();
[[gnu::const]] dim3 grid_size();

/// \return the block's dynamic shared memory
void* dynamic_shared_bytes();

void __syncthreads(HERE);
int __syncthreads_or(int predicate, HERE);
int __syncthreads_and(int predicate, HERE);
int __syncthreads_count(int predicate, HERE);

inline constexpr unsigned all_lanes = 0xffffffffu;
void __syncwarp(unsigned mask = all_lanes, HERE);
unsigned __ballot_sync(unsigned mask, int predicate, HERE);
int __any_sync(unsigned mask, int predicate, HERE);
int __all_sync(unsigned mask, int predicate, HERE);

/// Which lane's value a shuffle takes.
enum class Shuffle { lane, up, down, exclusive_or };

/// \param how    names the lane by its number, or by its distance
/// \param mask   the lanes that take part
/// \param bits   what this lane gives
/// \param other  the number or distance
/// \param width  the warp is cut into parts of so many lanes: a power of 2
/// \return the bits of the lane that was named
std::uint64_t shuffle(Shuffle how, unsigned mask, std::uint64_t bits,
                      unsigned other, int width, const char* file, int line);

template <class T>
T shuffled(Shuffle how, unsigned mask, T value, unsigned other, int width,
           const char* file, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8,
                "a shuffle moves 4 or 8 bytes");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = shuffle(how, mask, bits, other, width, file, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, HERE) {
  return shuffled(Shuffle::lane, mask, value, static_cast<unsigned>(lane),
                  width, file, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, HERE) {
  return shuffled(Shuffle::up, mask, value, by, width, file, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, HERE) {
  return shuffled(Shuffle::down, mask, value, by, width, file, line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, HERE) {
  return shuffled(Shuffle::exclusive_or, mask, value,
                  static_cast<unsigned>(with), width, file, line);
}

float atomicAdd(float* address, float value);
double atomicAdd(double* address, double value);
int atomicAdd(int* address, int value);
unsigned atomicAdd(unsigned* address, unsigned value);
unsigned long long atomicAdd(unsigned long long* address,
                             unsigned long long value);
int atomicMax(int* address, int value);
unsigned atomicMax(unsigned* address, unsigned value);
int atomicMin(int* address, int value);
unsigned atomicMin(unsigned* address, unsigned value);
int atomicCAS(int* address, int compare, int value);
unsigned atomicCAS(unsigned* address, unsigned compare, unsigned value);
unsigned long long atomicCAS(unsigned long long* address,
                             unsigned long long compare,
                             unsigned long long value);
int atomicExch(int* address, int value);
unsigned atomicExch(unsigned* address, unsigned value);
float atomicExch(float* address, float value);

// One access of 16 bytes, or of 8 for four numbers of 16 bits.
float4 load4(const float* address);
float4 load4(const __nv_bfloat16* address);
void store4(float* address, float4 value);
void store4(__nv_bfloat16* address, float4 value);

template <class T>
T __ldg(const T* address) {
  return *address;
}

inline void __threadfence_block() {}
inline void __threadfence() {}

inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline long min(long a, long b) { return a < b ? a : b; }
inline long max(long a, long b) { return a > b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }

}  // namespace on_cpu_device

#undef HERE
// NOLINTEND
