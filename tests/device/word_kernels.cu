#include "word_kernels.hpp"

#include "device/cuda_source.hpp"

namespace KERNEL_NAMESPACE {

using device::DeviceArray;
using device::launch;

namespace {

constexpr int lanes = 32;
constexpr unsigned all = 0xffffffffu;

}  // namespace

// Every way, width and distance, those that lead out of the part too.
__global__ void shuffle_all(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  int* to = out + lane;
  for (int width = 1; width <= lanes; width *= 2) {
    for (int by = 0; by < lanes; ++by) {
      const int ways[] = {
          __shfl_sync(all, lane, by, width),
          __shfl_sync(all, lane, lane + by, width),
          __shfl_sync(all, lane, -by, width),
          __shfl_up_sync(all, lane, static_cast<unsigned>(by), width),
          __shfl_down_sync(all, lane, static_cast<unsigned>(by), width),
          __shfl_xor_sync(all, lane, by, width)};
      for (const int way : ways) {
        *to = way;
        to += lanes;
      }
    }
  }
}

std::vector<int> all_shuffles() {
  DeviceArray<int> out("out", 6 * lanes * 6 * lanes);
  launch("shuffle_all", shuffle_all, {1, lanes}, out.data());
  return out.to_host();
}

// By all lanes, by the lower half and by the upper half on their own.
__global__ void vote_all(const int* numbers, unsigned* out) {
  const int t = static_cast<int>(threadIdx.x);
  const bool lower = t % lanes < lanes / 2;
  const unsigned half = lower ? 0x0000ffffu : 0xffff0000u;
  unsigned* const to = out + 9 * t;
  to[0] = __ballot_sync(all, numbers[t]);
  to[1] = static_cast<unsigned>(__any_sync(all, numbers[t]));
  to[2] = static_cast<unsigned>(__all_sync(all, numbers[t]));
  if (lower) {
    to[3] = __ballot_sync(half, numbers[t]);
    to[4] = static_cast<unsigned>(__any_sync(half, numbers[t]));
    to[5] = static_cast<unsigned>(__all_sync(half, numbers[t]));
  } else {
    to[3] = __ballot_sync(half, numbers[t]);
    to[4] = static_cast<unsigned>(__any_sync(half, numbers[t]));
    to[5] = static_cast<unsigned>(__all_sync(half, numbers[t]));
  }
  __syncwarp();
  to[6] = static_cast<unsigned>(__syncthreads_count(numbers[t]));
  to[7] = static_cast<unsigned>(__syncthreads_or(numbers[t]));
  to[8] = static_cast<unsigned>(__syncthreads_and(numbers[t]));
}

std::vector<unsigned> all_votes(const std::vector<int>& numbers) {
  const DeviceArray<int> in("numbers", numbers);
  DeviceArray<unsigned> out("out", 9 * in.size());
  launch("vote_all", vote_all, {1, in.size()}, in.data(), out.data());
  return out.to_host();
}

// What is left does not depend on the order of the threads.
__global__ void change_all(unsigned* out, unsigned long long* wide) {
  const int t = static_cast<int>(threadIdx.x);
  const unsigned u = threadIdx.x;
  int* const signed_out = reinterpret_cast<int*>(out);
  atomicAdd(signed_out + 0, t - 5);
  atomicAdd(out + 1, u);
  atomicMax(signed_out + 2, t - 40);
  atomicMax(out + 3, u * 0x10000000u);
  atomicMin(signed_out + 4, 3 - t);
  atomicMin(out + 5, u * 0x10000000u - 1);
  atomicCAS(signed_out + 6, 0, 7);
  atomicCAS(out + 7, 1u, 7u);
  if (t == 3) {
    out[9] = out[11] = out[13] = 21u;
    out[8] = atomicExch(out + 9, 11u);
    out[10] = static_cast<unsigned>(atomicExch(signed_out + 11, -2));
    out[12] = atomicCAS(out + 13, 21u, 5u);
  }
  atomicAdd(wide + 0, 0x100000001ull * u);
  atomicCAS(wide + 1, 0ull, 0x500000006ull);
}

std::vector<unsigned> all_atomics() {
  DeviceArray<unsigned> out("out", 14);
  DeviceArray<unsigned long long> wide("wide", 2);
  out.set_to_zero();
  wide.set_to_zero();
  launch("change_all", change_all, {1, 48}, out.data(), wide.data());
  std::vector<unsigned> numbers = out.to_host();
  for (const unsigned long long n : wide.to_host()) {
    numbers.push_back(static_cast<unsigned>(n));
    numbers.push_back(static_cast<unsigned>(n >> 32));
  }
  return numbers;
}

__global__ void change_floats(float* out, double* wide) {
  const int t = static_cast<int>(threadIdx.x);
  atomicAdd(out + 0, static_cast<float>(t));
  if (t == 3) out[1] = atomicExch(out + 2, 1.5f);
  atomicAdd(wide, 0.25 * t);
}

std::vector<float> all_float_atomics() {
  DeviceArray<float> out("out", 3);
  DeviceArray<double> wide("wide", 1);
  out.set_to_zero();
  wide.set_to_zero();
  launch("change_floats", change_floats, {1, 48}, out.data(), wide.data());
  std::vector<float> numbers = out.to_host();
  numbers.push_back(static_cast<float>(wide.to_host()[0]));
  return numbers;
}

__global__ void take_extremes(long long* out) {
  const int t = static_cast<int>(threadIdx.x);
  long long* const to = out + 8 * t;
  const unsigned u = 0u - threadIdx.x;
  const long l = -5 + t;
  const long long ll = 5ll << 40;
  to[0] = min(t, 7);
  to[1] = max(t - 20, -7);
  to[2] = min(u, 9u);
  to[3] = max(u, 9u);
  to[4] = min(l, 2l);
  to[5] = max(l, 2l);
  to[6] = min(ll - t, ll - 4);
  to[7] = max(ll - t, ll - 4);
}

std::vector<long long> all_extremes() {
  DeviceArray<long long> out("out", 8 * lanes);
  launch("take_extremes", take_extremes, {1, lanes}, out.data());
  return out.to_host();
}

// With a NaN among the numbers.
__global__ void compute_all(const float* in, float* out) {
  const int t = static_cast<int>(threadIdx.x);
  const float x = __ldg(in + t);
  float* const to = out + 8 * t;
  to[0] = min(x, 1.0f);
  to[1] = max(x, 1.0f);
  to[2] = __expf(x);
  to[3] = __logf(x * x);
  to[4] = __fdividef(x, 3.0f);
  to[5] = rsqrtf(x * x);
  to[6] = expf(x);
  to[7] = sqrtf(x * x);
}

std::vector<float> all_functions() {
  std::vector<float> numbers;
  for (int n = 0; n < lanes; ++n) {
    numbers.push_back(static_cast<float>(n - 12) * 0.75f);
  }
  numbers[5] = NAN;
  const DeviceArray<float> in("in", numbers);
  DeviceArray<float> out("out", 8 * lanes);
  launch("compute_all", compute_all, {1, lanes}, in.data(), out.data());
  return out.to_host();
}

// Where each thread of a grid of three directions is.
__global__ void tell_place(unsigned* out) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned block =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread =
      threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned* const to = out + 6 * (block * threads + thread);
  to[0] = threadIdx.x;
  to[1] = threadIdx.y;
  to[2] = threadIdx.z;
  to[3] = blockIdx.x;
  to[4] = blockIdx.y;
  to[5] = blockIdx.z;
}

std::vector<unsigned> all_indices() {
  DeviceArray<unsigned> out("out", 6 * 2 * 3 * 4 * 5 * 3 * 2);
  launch("tell_place", tell_place, {{2, 3, 4}, {5, 3, 2}}, out.data());
  return out.to_host();
}

}  // namespace KERNEL_NAMESPACE
