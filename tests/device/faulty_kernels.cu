#include "faulty_kernels.hpp"

#include "device/cuda_source.hpp"

namespace KERNEL_NAMESPACE {

using device::DeviceArray;
using device::launch;

constexpr unsigned everyone = 0xffffffffu;

__global__ void early_return(int staying) {
  if (static_cast<int>(threadIdx.x) >= staying) return;
  __syncthreads();  // not reached
}

void leave_before_barrier(int threads, int staying) {
  launch("early_return", early_return, {1, threads}, staying);
}

__global__ void two_barriers() {
  if (threadIdx.x < 16) {
    __syncthreads();  // the first of two
  } else {
    __syncthreads();  // the second of two
  }
}

void wait_at_different_barriers() {
  launch("two_barriers", two_barriers, {1, 32});
}

__global__ void warp_and_block() {
  if (threadIdx.x == 40) {
    __syncthreads();  // lane 8 is here
  } else {
    __syncwarp();  // waits for lane 8
  }
}

void wait_for_lane_at_block_barrier() {
  launch("warp_and_block", warp_and_block, {1, 64});
}

__global__ void two_masks() {
  __syncwarp(threadIdx.x < 8 ? 0xffffu : everyone);  // two masks
}

void wait_with_different_masks() { launch("two_masks", two_masks, {1, 32}); }

__global__ void not_in_mask(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffu, 1, 1);  // lanes 16 to 31 too
}

void shuffle_outside_of_mask() {
  DeviceArray<int> out("out", 32);
  launch("not_in_mask", not_in_mask, {1, 32}, out.data());
}

__global__ void from_ended(int* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __shfl_down_sync(everyone, 1, 8u);  // lane 20 has ended
}

void shuffle_from_ended_lane() {
  DeviceArray<int> out("out", 32);
  launch("from_ended", from_ended, {1, 32}, out.data());
}

__global__ void from_unnamed(int* out) {
  const unsigned half = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
  out[threadIdx.x] = __shfl_xor_sync(half, 1, 16);  // the other half's value
}

void shuffle_from_unnamed_lane() {
  DeviceArray<int> out("out", 32);
  launch("from_unnamed", from_unnamed, {1, 32}, out.data());
}

__global__ void two_shuffles(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_xor_sync(everyone, 1, 16);  // one shuffle
  } else {
    out[threadIdx.x] = __shfl_xor_sync(everyone, 2, 16);  // another shuffle
  }
}

void shuffle_at_two_lines() {
  DeviceArray<int> out("out", 32);
  launch("two_shuffles", two_shuffles, {1, 32}, out.data());
}

__global__ void odd_parts(int* out, int width) {
  out[threadIdx.x] = __shfl_sync(everyone, 1, 0, width);  // in odd parts
}

void shuffle_in_parts_of(int width) {
  DeviceArray<int> out("out", 32);
  launch("odd_parts", odd_parts, {1, 32}, out.data(), width);
}

// No fault: a lane that has ended is waited for by nobody.
__global__ void end_early(int* out) {
  if (threadIdx.x >= 5) return;
  __syncwarp();
  out[threadIdx.x] = static_cast<int>(__ballot_sync(everyone, 1));
}

void wait_in_warp_and_end() {
  DeviceArray<int> out("out", 32);
  launch("end_early", end_early, {1, 32}, out.data());
}

__global__ void one_bad_block(int* begun) {
  if (threadIdx.x == 0) begun[blockIdx.x] = 1;
  if (blockIdx.x == 1 && threadIdx.x == 3) return;
  __syncthreads();
}

void fault_in_second_block(int* blocks_begun) {
  DeviceArray<int> begun("begun", 4);
  begun.set_to_zero();
  launch("one_bad_block", one_bad_block, {4, 32}, begun.data());
  *blocks_begun = 0;
  for (const int one : begun.to_host()) *blocks_begun += one;
}

__global__ void nothing() {}

void empty_launch(const device::LaunchShape& shape) {
  launch("nothing", nothing, shape);  // over the limit
}

// 4 KiB, and whatever the launch gives.
__global__ void two_kinds() {
  __shared__ float tile[1024];
  float* more = dynamic_shared<float>();
  tile[threadIdx.x] = 1.0f;
  __syncthreads();  // so that no compiler can do without the tile
  more[threadIdx.x] = tile[threadIdx.x ^ 1];
}

void share_both_ways(std::size_t dynamic_bytes) {
  launch("two_kinds", two_kinds, {1, 32, dynamic_bytes});  // both kinds
}

// Thread 0 waits in a loop until thread 1 has written.
__global__ void spin(int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
  } else {
    atomicAdd(flag, 1);
  }
}

void wait_in_loop_for_neighbour() {
  DeviceArray<int> flag("flag", 1);
  flag.set_to_zero();
  launch("spin", spin, {1, 2}, flag.data());
}

// Without atomics: a count is lost where two threads take turns in the middle.
__global__ void unguarded(int* counter) {
  const int before = *counter;
  *counter = before + 1;
}

int spread_of_unguarded_counter() {
  DeviceArray<int> counter("counter", 1);
  counter.set_to_zero();
  launch("unguarded", unguarded, {1, 256}, counter.data());
  return counter.to_host()[0];
}

#ifndef __CUDACC__
__device__ int deeper(volatile int* number) {
  volatile int own = *number + 1;
  if (own == 100'000'000) return 0;
  return deeper(&own) + own;
}

__global__ void without_end(int* out) {
  volatile int none = 0;
  out[0] = deeper(&none);
}

void call_itself_without_end() {
  DeviceArray<int> out("out", 1);
  launch("without_end", without_end, {1, 64}, out.data());  // too deep
}
#endif

}  // namespace KERNEL_NAMESPACE
