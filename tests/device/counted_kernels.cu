#include "counted_kernels.hpp"

#include "device/cuda_source.hpp"

#include <vector>

namespace KERNEL_NAMESPACE {

using device::DeviceArray;
using device::launch;

struct Three {
  float x, y, z;
};

namespace {

constexpr std::int64_t n_numbers = 4096;

template <class Kernel, class... More>
void count(const char* name, Kernel kernel, int blocks, int threads,
           More... more) {
  const DeviceArray<float> from("from", std::vector<float>(n_numbers, 1.0f));
  DeviceArray<float> to("to", n_numbers);
  launch(name, kernel, {blocks, threads}, from.data(), to.data(), more...);
}

}  // namespace

__global__ void side_by_side(const float* from, float* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i];  // counted
}
void count_side_by_side() { count("side_by_side", side_by_side, 4, 64); }

__global__ void apart(const float* from, float* to, int step) {
  const int i = static_cast<int>(threadIdx.x);
  to[i] = from[i * step];
}
void count_apart(int step) { count("apart", apart, 1, 32, step); }

__global__ void shifted(const float* from, float* to) {
  const int i = static_cast<int>(threadIdx.x);
  to[i] = from[i + 1];
}
void count_shifted() { count("shifted", shifted, 1, 32); }

__global__ void one_for_all(const float* from, float* to) {
  to[threadIdx.x] = from[7];
}
void count_one_for_all() { count("one_for_all", one_for_all, 1, 32); }

__global__ void vectors(const float* from, float* to) {
  const int i = 4 * static_cast<int>(threadIdx.x);
  store4(to + i, load4(from + i));
}
void count_vectors() { count("vectors", vectors, 1, 32); }

__global__ void in_banks(const float*, float* to, int step) {
  __shared__ float words[32 * 33];
  const int i = static_cast<int>(threadIdx.x);
  words[i * step] = 1.0f;
  __syncthreads();  // or no word would be needed
  to[i] = words[i * step];
}
void count_in_banks(int step) { count("in_banks", in_banks, 1, 32, step); }

__global__ void vectors_in_banks(const float* from, float* to) {
  __shared__ float words[128];
  const int i = 4 * static_cast<int>(threadIdx.x);
  store4(words + i, load4(from + i));
  store4(to + i, load4(words + i));
}
void count_vectors_in_banks() {
  count("vectors_in_banks", vectors_in_banks, 1, 32);
}

__global__ void loop(const float* from, float* to) {
  const int i = static_cast<int>(threadIdx.x);
  float sum = 0.0f;
  for (int k = 0; k < 10; ++k) sum += from[i * 32 + k];
  to[i] = sum;
}
void count_loop() { count("loop", loop, 1, 32); }

__global__ void divergent(const float* from, float* to) {
  const int i = static_cast<int>(threadIdx.x);
  float sum = 0.0f;
  for (int k = 0; k < i; ++k) sum += from[k];
  to[i] = sum;
}
void count_divergent() { count("divergent", divergent, 1, 32); }

__global__ void atomics(const float*, float* to) {
  __shared__ float sums[2];
  const int i = static_cast<int>(threadIdx.x);
  if (i < 2) sums[i] = 0.0f;
  __syncthreads();
  atomicAdd(&sums[i % 2], 1.0f);
  __syncthreads();
  to[i] = sums[i % 2];
}
void count_atomics() { count("atomics", atomics, 1, 32); }

__global__ void whole(const Three* from, Three* to) {
  to[threadIdx.x] = from[threadIdx.x];
}
void count_whole_structures() {
  const DeviceArray<Three> from("from", std::vector<Three>(32));
  DeviceArray<Three> to("to", 32);
  launch("whole", whole, {1, 32}, from.data(), to.data());
}

}  // namespace KERNEL_NAMESPACE
