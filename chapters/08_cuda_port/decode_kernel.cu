// Chapter 8: one query and many keys: the keys are split among blocks.
#include "attention_kernels.hpp"
#include "kernel_parts.hpp"

namespace KERNEL_NAMESPACE {

// [split sizes]
constexpr int split_keys_each = 128;  // keys of a block
constexpr int split_warps = 4;        // of a block, each with every fourth key
constexpr int split_heads = 8;        // of a block, at most
constexpr int split_columns = 128;    // of a head, at most

// A part is what is known of a query of a head after some keys: the highest
// score, the total and the context, as in chapter 7.
__host__ __device__ inline Index part_floats(const Sizes& s) {
  return s.width + 2;
}

Index scratch_of_split_keys(const Sizes& s) {
  return s.batch * s.queries * s.heads * pieces(s.keys, split_keys_each) *
         part_floats(s);
}
// [split sizes]

// [split state]
// What one warp knows. Lane l keeps columns l, l + 32, l + 64 and l + 96.
struct WarpState {
  float highest[split_heads];
  float total[split_heads];
  float context[split_heads][split_columns / 32];
};

__device__ inline void add_key(WarpState& now, int head, float score,
                               const float* value, Index width) {
  const float before = now.highest[head];
  now.highest[head] = higher(before, score);
  if (now.highest[head] == -INFINITY) return;  // nothing was seen yet
  const float rescale = expf(before - now.highest[head]);
  const float weight = expf(score - now.highest[head]);
  now.total[head] = now.total[head] * rescale + weight;
#pragma unroll
  for (int m = 0; m < split_columns / 32; ++m) {
    if (32 * m + static_cast<int>(threadIdx.x) >= width) break;
    now.context[head][m] = now.context[head][m] * rescale + weight * value[m];
  }
}
// [split state]

// [split kernel]
// A block for 128 keys, one query, and the heads that share the keys.
__global__ void split_keys_kernel(Sizes s, const float* q, const float* k,
                                  const float* v, float* parts) {
  __shared__ float context[split_warps][split_heads][split_columns];
  __shared__ float highest[split_warps][split_heads];
  __shared__ float total[split_warps][split_heads];
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(threadIdx.y);
  const Index splits = pieces(s.keys, split_keys_each);
  const Index split = blockIdx.x % splits, i = blockIdx.x / splits;
  const Index group = s.heads / s.kv_heads;
  const Index sets = pieces(group, split_heads);
  const Index g = blockIdx.y / sets, b = blockIdx.z;
  const Index from = blockIdx.y % sets * split_heads;  // within the group
  const int heads = static_cast<int>(
      group - from < split_heads ? group - from : split_heads);
  const Index first_head = g * group + from;
  // [split kernel]
  // [split queries]
  float query[split_heads][split_columns / 32];
  WarpState now;
#pragma unroll
  for (int n = 0; n < split_heads; ++n) {
    if (n >= heads) break;
    now.highest[n] = -INFINITY;
    now.total[n] = 0;
#pragma unroll
    for (int m = 0; m < split_columns / 32; ++m) {
      if (32 * m + lane >= s.width) break;
      query[n][m] = q[query_at(s, b, i, first_head + n) + 32 * m + lane];
      now.context[n][m] = 0;
    }
  }
  // [split queries]
  // [split loop]
  const Index seen = seen_before(s, i + 1);
  const Index first = split * split_keys_each;
  const Index end = first + split_keys_each < seen ? first + split_keys_each
                                                   : seen;
  for (Index j = first + warp; j < end; j += split_warps) {
    float key[split_columns / 32], value[split_columns / 32];
#pragma unroll
    for (int m = 0; m < split_columns / 32; ++m) {
      if (32 * m + lane >= s.width) break;
      key[m] = k[key_at(s, b, j, g) + 32 * m + lane];
      value[m] = v[key_at(s, b, j, g) + 32 * m + lane];
    }
#pragma unroll
    for (int n = 0; n < split_heads; ++n) {
      if (n >= heads) break;
      float sum = 0;
#pragma unroll
      for (int m = 0; m < split_columns / 32; ++m) {
        if (32 * m + lane >= s.width) break;
        sum += query[n][m] * key[m];
      }
      add_key(now, n, sum_of(sum) * s.scale, value, s.width);
    }
  }
  // [split loop]
  // [split merge]
#pragma unroll
  for (int n = 0; n < split_heads; ++n) {
    if (n >= heads) break;
    if (lane == 0) {
      highest[warp][n] = now.highest[n];
      total[warp][n] = now.total[n];
    }
#pragma unroll
    for (int m = 0; m < split_columns / 32; ++m) {
      if (32 * m + lane >= s.width) break;
      context[warp][n][32 * m + lane] = now.context[n][m];
    }
  }
  __syncthreads();
  for (int n = warp; n < heads; n += split_warps) {
    float best = -INFINITY, sum = 0;
    for (const auto& of_warp : highest) best = higher(best, of_warp[n]);
    float factor[split_warps];
    for (int w = 0; w < split_warps; ++w) {
      factor[w] = best == -INFINITY ? 0 : expf(highest[w][n] - best);
      sum += factor[w] * total[w][n];
    }
    const Index head = (b * s.queries + i) * s.heads + first_head + n;
    float* part = parts + (head * splits + split) * part_floats(s);
    if (lane == 0) {
      part[0] = best;
      part[1] = sum;
    }
    for (int c = lane; c < s.width; c += 32) {
      float all = 0;
      for (int w = 0; w < split_warps; ++w) {
        all += factor[w] * context[w][n][c];
      }
      part[2 + c] = all;
    }
  }
}
// [split merge]

// [merge kernel]
// A warp for each query of a head.
__global__ void merge_parts_kernel(Sizes s, const float* parts, float* out) {
  const Index splits = pieces(s.keys, split_keys_each);
  const float* part = parts + blockIdx.x * splits * part_floats(s);
  float best = -INFINITY;
  for (Index n = 0; n < splits; ++n) {
    best = higher(best, part[n * part_floats(s)]);
  }
  for (Index c = threadIdx.x; c < s.width; c += 32) {
    float total = 0, context = 0;
    for (Index n = 0; n < splits; ++n) {
      const float* of = part + n * part_floats(s);
      const float factor = best == -INFINITY ? 0 : expf(of[0] - best);
      total += factor * of[1];
      context += factor * of[2 + c];
    }
    out[blockIdx.x * s.width + c] = total == 0 ? 0 : context / total;
  }
}
// [merge kernel]

// [split launches]
void split_keys(const DeviceCall<float>& call) {
  const Sizes& s = call.sizes;
  const Index splits = pieces(s.keys, split_keys_each);
  const Index sets = pieces(s.heads / s.kv_heads, split_heads);
  device::launch("split_keys_kernel", split_keys_kernel,
                 {{splits * s.queries, s.kv_heads * sets, s.batch},
                  {32, split_warps}},
                 s, call.q, call.k, call.v, call.scratch);
  device::launch("merge_parts_kernel", merge_parts_kernel,
                 {{s.batch * s.queries * s.heads}, {32}}, s,
                 call.scratch, call.out);
}
// [split launches]

}  // namespace KERNEL_NAMESPACE
