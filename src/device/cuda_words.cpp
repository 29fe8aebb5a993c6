#include "device/cuda_words.hpp"

#include "device/access_watch.hpp"
#include "device/call_site.hpp"
#include "device/kernel_run.hpp"

#include <cstring>

namespace on_cpu_device {

namespace {

using device::KernelRun;
using device::Votes;
using device::WarpOperation;

uint3 three(std::int64_t x, std::int64_t y, std::int64_t z) {
  return {static_cast<unsigned>(x), static_cast<unsigned>(y),
          static_cast<unsigned>(z)};
}

dim3 size_of(const device::Extent& extent) {
  const uint3 size = three(extent.x, extent.y, extent.z);
  return {size.x, size.y, size.z};
}

Votes barrier(bool predicate, const char* file, int line) {
  return KernelRun::now().block_barrier({file, line}, predicate);
}

}  // namespace

uint3 thread_index() {
  const KernelRun::Thread& thread = KernelRun::now().running();
  return {thread.x, thread.y, thread.z};
}

uint3 block_index() {
  const KernelRun& run = KernelRun::now();
  const device::Extent& grid = run.shape().grid;
  return three(run.block() % grid.x, run.block() / grid.x % grid.y,
               run.block() / grid.x / grid.y);
}

dim3 block_size() { return size_of(KernelRun::now().shape().block); }

dim3 grid_size() { return size_of(KernelRun::now().shape().grid); }

void* dynamic_shared_bytes() { return KernelRun::now().dynamic_shared(); }

void __syncthreads(const char* file, int line) { barrier(false, file, line); }

int __syncthreads_or(int predicate, const char* file, int line) {
  return barrier(predicate != 0, file, line).count != 0;
}

int __syncthreads_and(int predicate, const char* file, int line) {
  const Votes votes = barrier(predicate != 0, file, line);
  return votes.count == votes.of;
}

int __syncthreads_count(int predicate, const char* file, int line) {
  return barrier(predicate != 0, file, line).count;
}

namespace {

std::uint64_t vote(unsigned mask, int predicate, const char* file, int line) {
  return KernelRun::now().warp_operation({.operation = WarpOperation::vote,
                                          .mask = mask,
                                          .place = {file, line},
                                          .value = predicate != 0 ? 1u : 0u});
}

unsigned low_half(std::uint64_t bits) { return static_cast<unsigned>(bits); }
unsigned high_half(std::uint64_t bits) {
  return static_cast<unsigned>(bits >> 32);
}

}  // namespace

void __syncwarp(unsigned mask, const char* file, int line) {
  KernelRun::now().warp_operation({.operation = WarpOperation::barrier,
                                   .mask = mask,
                                   .place = {file, line}});
}

unsigned __ballot_sync(unsigned mask, int predicate, const char* file,
                       int line) {
  return low_half(vote(mask, predicate, file, line));
}

int __any_sync(unsigned mask, int predicate, const char* file, int line) {
  return low_half(vote(mask, predicate, file, line)) != 0;
}

int __all_sync(unsigned mask, int predicate, const char* file, int line) {
  const std::uint64_t votes = vote(mask, predicate, file, line);
  return low_half(votes) == high_half(votes);
}

namespace {

// A lane outside of the part, or past its edge, is the lane itself.
int source_lane(Shuffle how, int lane, unsigned other, int width) {
  const int part = lane / width * width;
  const auto wide = static_cast<unsigned>(width);
  const auto place = static_cast<unsigned>(lane - part);
  switch (how) {
    case Shuffle::lane: return part + static_cast<int>(other % wide);
    case Shuffle::up:
      return other > place ? lane : lane - static_cast<int>(other);
    case Shuffle::down:
      return other >= wide - place ? lane : lane + static_cast<int>(other);
    case Shuffle::exclusive_or: {
      const auto with = static_cast<int>(other % 32u);
      const int source = lane ^ with;
      return source >= part + width ? lane : source;
    }
  }
  return lane;
}

}  // namespace

std::uint64_t shuffle(Shuffle how, unsigned mask, std::uint64_t bits,
                      unsigned other, int width, const char* file, int line) {
  KernelRun& run = KernelRun::now();
  const bool power_of_2 = width > 0 && (width & (width - 1)) == 0;
  if (!power_of_2 || width > device::warp_lanes) {
    run.refuse_width(width, {file, line});
  }
  const int lane = run.running().lane();
  return run.warp_operation({.operation = WarpOperation::shuffle,
                             .mask = mask,
                             .place = {file, line},
                             .value = bits,
                             .source = source_lane(how, lane, other, width)});
}

namespace {

// What the compiler's hooks do for an access in the kernel, for one that is
// made here.
void announce(const void* address, std::size_t bytes, device::AccessKind kind,
              const void* code) {
  KernelRun& run = KernelRun::now();
  if (!run.watched()) return;
  if (device::access_watch().access(address, bytes, kind, code) ==
      device::Verdict::stop) {
    run.stop_thread();
  }
}

template <class T, class Change>
T atomically(T* address, const void* code, Change change) {
  KernelRun::now().atomic_comes();
  announce(address, sizeof(T), device::AccessKind::atomic, code);
  const T before = *address;
  *address = change(before);
  return before;
}

template <class T>
T add(T* address, T value, const void* code) {
  return atomically(address, code, [&](T before) { return before + value; });
}

template <class T>
T most(T* address, T value, const void* code) {
  return atomically(address, code,
                    [&](T before) { return before > value ? before : value; });
}

template <class T>
T least(T* address, T value, const void* code) {
  return atomically(address, code,
                    [&](T before) { return before < value ? before : value; });
}

template <class T>
T put(T* address, T value, const void* code) {
  return atomically(address, code, [&](T) { return value; });
}

template <class T>
T put_if(T* address, T compare, T value, const void* code) {
  return atomically(address, code, [&](T before) {
    return before == compare ? value : before;
  });
}

}  // namespace

#define CALLER MHA_CALL_SITE

float atomicAdd(float* address, float value) {
  return add(address, value, CALLER);
}
double atomicAdd(double* address, double value) {
  return add(address, value, CALLER);
}
int atomicAdd(int* address, int value) { return add(address, value, CALLER); }
unsigned atomicAdd(unsigned* address, unsigned value) {
  return add(address, value, CALLER);
}
unsigned long long atomicAdd(unsigned long long* address,
                             unsigned long long value) {
  return add(address, value, CALLER);
}
int atomicMax(int* address, int value) { return most(address, value, CALLER); }
unsigned atomicMax(unsigned* address, unsigned value) {
  return most(address, value, CALLER);
}
int atomicMin(int* address, int value) { return least(address, value, CALLER); }
unsigned atomicMin(unsigned* address, unsigned value) {
  return least(address, value, CALLER);
}
int atomicCAS(int* address, int compare, int value) {
  return put_if(address, compare, value, CALLER);
}
unsigned atomicCAS(unsigned* address, unsigned compare, unsigned value) {
  return put_if(address, compare, value, CALLER);
}
unsigned long long atomicCAS(unsigned long long* address,
                             unsigned long long compare,
                             unsigned long long value) {
  return put_if(address, compare, value, CALLER);
}
int atomicExch(int* address, int value) { return put(address, value, CALLER); }
unsigned atomicExch(unsigned* address, unsigned value) {
  return put(address, value, CALLER);
}
float atomicExch(float* address, float value) {
  return put(address, value, CALLER);
}

float4 load4(const float* address) {
  announce(address, sizeof(float4), device::AccessKind::read, CALLER);
  float4 value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

void store4(float* address, float4 value) {
  announce(address, sizeof(float4), device::AccessKind::write, CALLER);
  std::memcpy(address, &value, sizeof value);
}

float4 load4(const __nv_bfloat16* address) {
  announce(address, 4 * sizeof *address, device::AccessKind::read,
                  CALLER);
  __nv_bfloat16 half[4];
  std::memcpy(half, address, sizeof half);
  return {half[0], half[1], half[2], half[3]};
}

void store4(__nv_bfloat16* address, float4 value) {
  announce(address, 4 * sizeof *address, device::AccessKind::write,
                  CALLER);
  const __nv_bfloat16 half[4] = {value.x, value.y, value.z, value.w};
  std::memcpy(address, half, sizeof half);
}

}  // namespace on_cpu_device
