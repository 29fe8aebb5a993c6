// Chapter 8: what the kernels share.
#pragma once

#include "attention_sizes.hpp"

#include "device/cuda_source.hpp"

namespace KERNEL_NAMESPACE {

// [where]
using cuda_port::Index;
using cuda_port::Sizes;

// Where the columns of head h of query i begin, in q and in out.
__device__ inline Index query_at(const Sizes& s, Index b, Index i, Index h) {
  return ((b * s.queries + i) * s.heads + h) * s.width;
}

// Where the columns begin that key/value head g keeps of key j.
__device__ inline Index key_at(const Sizes& s, Index b, Index j, Index g) {
  return ((b * s.keys + j) * s.kv_heads + g) * s.width;
}

__device__ inline bool sees(const Sizes& s, Index i, Index j) {
  return !s.causal || j <= i + s.keys - s.queries;
}

// How many keys, from the first on, the queries before `end` see at most.
__device__ inline Index seen_before(const Sizes& s, Index end) {
  const Index last = end < s.queries ? end : s.queries;
  return s.causal ? last + s.keys - s.queries : s.keys;
}
// [where]

// [round up]
// How many pieces of `size` it takes to cover `count`: the last may be short.
__host__ __device__ inline Index pieces(Index count, Index size) {
  return (count + size - 1) / size;
}
// [round up]

// [higher]
// The larger of two; NaN if either is. (fmaxf would take the other one, and a
// row of NaN would look like a row that sees nothing.)
__device__ inline float higher(float x, float y) {
  return y > x || y != y ? y : x;
}
// [higher]

// [warp sums]
// The highest, or the sum, over the lanes of a warp whose numbers differ only
// in the bits below `lanes`; every one of them gets it.
__device__ inline float highest_of(float x, int lanes = 32) {
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    x = higher(x, __shfl_xor_sync(0xffffffffU, x, apart));
  }
  return x;
}

__device__ inline float sum_of(float x, int lanes = 32) {
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    x += __shfl_xor_sync(0xffffffffU, x, apart);
  }
  return x;
}
// [warp sums]

}  // namespace KERNEL_NAMESPACE
