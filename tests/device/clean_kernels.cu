#include "clean_kernels.hpp"

#include "device/cuda_source.hpp"

namespace KERNEL_NAMESPACE {

using device::DeviceArray;
using device::launch;

// One number for each block of 128.
__global__ void halve_and_add(const float* numbers, float* sums, int count) {
  __shared__ float part[128];
  const int t = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * 128 + t;
  part[t] = i < count ? numbers[i] : 0.0f;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

std::vector<float> sum_by_halving(const std::vector<float>& numbers) {
  const DeviceArray<float> in("numbers", numbers);
  const std::int64_t blocks = (in.size() + 127) / 128;
  DeviceArray<float> sums("sums", blocks);
  launch("halve_and_add", halve_and_add, {blocks, 128}, in.data(), sums.data(),
         static_cast<int>(in.size()));
  return sums.to_host();
}

__global__ void transpose(const float* from, float* to, int rows, int columns) {
  __shared__ float tile[16][17];
  const int column = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row < rows && column < columns) {
    tile[threadIdx.y][threadIdx.x] = from[row * columns + column];
  }
  __syncthreads();
  const int to_column = static_cast<int>(blockIdx.y * 16 + threadIdx.x);
  const int to_row = static_cast<int>(blockIdx.x * 16 + threadIdx.y);
  if (to_row < columns && to_column < rows) {
    to[to_row * rows + to_column] = tile[threadIdx.x][threadIdx.y];
  }
}

std::vector<float> transposed(const std::vector<float>& numbers,
                              std::int64_t rows, std::int64_t columns) {
  const DeviceArray<float> from("from", numbers);
  DeviceArray<float> to("to", from.size());
  launch("transpose", transpose,
         {{(columns + 15) / 16, (rows + 15) / 16}, {16, 16}}, from.data(),
         to.data(), static_cast<int>(rows), static_cast<int>(columns));
  return to.to_host();
}

// Of one block: within a warp by shuffles, the warps' sums by the first warp.
__global__ void scan(const int* numbers, int* sums, int count) {
  __shared__ int of_warp[32];
  const int t = static_cast<int>(threadIdx.x);
  const int lane = t % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  int sum = t < count ? numbers[t] : 0;
  for (unsigned by = 1; by < 32; by *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, sum, by);
    if (lane >= static_cast<int>(by)) sum += before;
  }
  if (lane == 31) of_warp[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    int warp_sum = t < warps ? of_warp[t] : 0;
    for (unsigned by = 1; by < 32; by *= 2) {
      const int before = __shfl_up_sync(0xffffffffu, warp_sum, by);
      if (lane >= static_cast<int>(by)) warp_sum += before;
    }
    of_warp[t] = warp_sum;
  }
  __syncthreads();
  if (t >= 32) sum += of_warp[t / 32 - 1];
  if (t < count) sums[t] = sum;
}

std::vector<int> running_sums(const std::vector<int>& numbers) {
  const DeviceArray<int> in("numbers", numbers);
  DeviceArray<int> sums("sums", in.size());
  launch("scan", scan, {1, (in.size() + 31) / 32 * 32}, in.data(), sums.data(),
         static_cast<int>(in.size()));
  return sums.to_host();
}

__global__ void count_in_bins(const int* numbers, int* bins, int count,
                              int n_bins) {
  int* mine = dynamic_shared<int>();
  for (int bin = static_cast<int>(threadIdx.x); bin < n_bins;
       bin += static_cast<int>(blockDim.x)) {
    mine[bin] = 0;
  }
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) atomicAdd(&mine[numbers[i] % n_bins], 1);
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < n_bins;
       bin += static_cast<int>(blockDim.x)) {
    if (mine[bin] != 0) atomicAdd(&bins[bin], mine[bin]);
  }
}

std::vector<int> histogram(const std::vector<int>& numbers, int bins) {
  const DeviceArray<int> in("numbers", numbers);
  DeviceArray<int> counts("counts", bins);
  counts.set_to_zero();
  launch("count_in_bins", count_in_bins,
         {(in.size() + 63) / 64, 64, static_cast<std::size_t>(bins) * 4},
         in.data(), counts.data(), static_cast<int>(in.size()), bins);
  return counts.to_host();
}

// Of one block, four numbers a thread.
__global__ void reverse(const float* from, float* to, int count) {
  float* all = dynamic_shared<float>();
  const int first = static_cast<int>(threadIdx.x) * 4;
  store4(all + first, load4(from + first));
  __syncthreads();
  float4 back;
  back.x = all[count - 1 - first];
  back.y = all[count - 2 - first];
  back.z = all[count - 3 - first];
  back.w = all[count - 4 - first];
  store4(to + first, back);
}

std::vector<float> reversed(const std::vector<float>& numbers) {
  const DeviceArray<float> from("from", numbers);
  DeviceArray<float> to("to", from.size());
  launch("reverse", reverse,
         {1, from.size() / 4, numbers.size() * sizeof(float)}, from.data(),
         to.data(), static_cast<int>(from.size()));
  return to.to_host();
}

__global__ void round_to_bf16(const float* from, __nv_bfloat16* middle,
                              float* to) {
  const int first = static_cast<int>(threadIdx.x) * 4;
  store4(middle + first, load4(from + first));
  store4(to + first, load4(middle + first));
  to[first] = __bfloat162float(__float2bfloat16(from[first]));
}

std::vector<float> rounded(const std::vector<float>& numbers) {
  const DeviceArray<float> from("from", numbers);
  DeviceArray<__nv_bfloat16> middle("middle", from.size());
  DeviceArray<float> to("to", from.size());
  launch("round_to_bf16", round_to_bf16, {1, from.size() / 4}, from.data(),
         middle.data(), to.data());
  return to.to_host();
}

__global__ void vote(const int* numbers, int* answers) {
  const int t = static_cast<int>(threadIdx.x);
  const int number = numbers[t];
  const int any = __syncthreads_or(number > 0);
  const int all = __syncthreads_and(number > 0);
  const int count = __syncthreads_count(number > 0);
  const unsigned ballot = __ballot_sync(0xffffffffu, number > 0);
  __syncwarp();
  const int any_lane = __any_sync(0xffffffffu, number > 0);
  const int all_lanes_agree = __all_sync(0xffffffffu, number > 0);
  const int other = __shfl_xor_sync(0xffffffffu, number, 1);
  const int first = __shfl_sync(0xffffffffu, number, 0, 8);
  const int next = __shfl_down_sync(0xffffffffu, number, 1u);
  if (t != 33) return;
  answers[0] = any;
  answers[1] = all;
  answers[2] = count;
  answers[3] = static_cast<int>(ballot);
  answers[4] = any_lane;
  answers[5] = all_lanes_agree;
  answers[6] = other;
  answers[7] = first;
  answers[8] = next;
}

std::vector<int> barrier_votes(const std::vector<int>& numbers) {
  const DeviceArray<int> in("numbers", numbers);
  DeviceArray<int> answers("answers", 9);
  launch("vote", vote, {1, in.size()}, in.data(), answers.data());
  return answers.to_host();
}

// Hands a number from thread to thread, a barrier for each step.
__global__ void pass_on(int* numbers, int passes) {
  __shared__ int held[1024];
  const int t = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  held[t] = t;
  for (int pass = 0; pass < passes; ++pass) {
    __syncthreads();
    const int next = held[(t + 1) % threads];
    __syncthreads();
    held[t] = next;
  }
  numbers[static_cast<int>(blockIdx.x) * threads + t] = held[t];
}

std::vector<int> many_barriers(int threads, int blocks, int passes) {
  DeviceArray<int> numbers("numbers", std::int64_t{threads} * blocks);
  launch("pass_on", pass_on, {blocks, threads}, numbers.data(), passes);
  return numbers.to_host();
}

}  // namespace KERNEL_NAMESPACE
