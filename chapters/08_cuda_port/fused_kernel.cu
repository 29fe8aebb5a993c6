// Chapter 8: one kernel, which never stores a score in global memory.
#include "attention_kernels.hpp"
#include "kernel_parts.hpp"

namespace KERNEL_NAMESPACE {

// [fused sizes]
constexpr int block_queries = 32;
constexpr int block_keys = 32;    // a lane of each warp has one
constexpr int block_warps = 8;
constexpr int warp_queries = block_queries / block_warps;
constexpr int most_columns = 4;   // of a lane: heads up to 128 wide

// Numbers in a row of a tile: an odd number, so that a column lies in 32 banks.
__host__ __device__ inline Index odd_row(Index width) { return width | 1; }

// Numbers in shared memory: queries, keys and values of a tile, and weights.
__host__ __device__ inline Index fused_floats(Index width) {
  return (block_queries + 2 * block_keys) * odd_row(width) +
         block_queries * block_keys;
}
// [fused sizes]

// [load rows]
// The rows `first` to first + 31 of a table with `count` rows; zeros after
// its end.
__device__ inline void load_rows(float* to, const float* table, Index stride,
                                 Index first, Index count, Index width) {
  for (int r = static_cast<int>(threadIdx.y); r < 32; r += block_warps) {
    for (Index c = threadIdx.x; c < width; c += 32) {
      to[r * odd_row(width) + c] =
          first + r < count ? table[(first + r) * stride + c] : 0;
    }
  }
}
// [load rows]

// [fused kernel]
// A block for each 32 queries of a head.
__global__ void fused_attention_kernel(Sizes s, const float* q, const float* k,
                                       const float* v, float* out) {
  const Index h = blockIdx.y, b = blockIdx.z;
  const Index g = h / (s.heads / s.kv_heads);
  const Index first_i = static_cast<Index>(blockIdx.x) * block_queries;
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(threadIdx.y);
  const Index row = odd_row(s.width);
  float* queries = dynamic_shared<float>();
  float* keys = queries + block_queries * row;
  float* values = keys + block_keys * row;
  float* weights = values + block_keys * row;

  float highest[warp_queries], total[warp_queries] = {};
  float context[warp_queries][most_columns] = {};
  for (float& m : highest) m = -INFINITY;
  load_rows(queries, q + query_at(s, b, 0, h), s.heads * s.width, first_i,
            s.queries, s.width);
  // [fused kernel]
  // [fused loop]
  const Index seen = seen_before(s, first_i + block_queries);
  for (Index first_j = 0; first_j < seen; first_j += block_keys) {
    load_rows(keys, k + key_at(s, b, 0, g), s.kv_heads * s.width, first_j,
              s.keys, s.width);
    load_rows(values, v + key_at(s, b, 0, g), s.kv_heads * s.width, first_j,
              s.keys, s.width);
    __syncthreads();  // the tiles are complete
    const Index j = first_j + lane;
#pragma unroll
    for (int r = 0; r < warp_queries; ++r) {
      const int in_block = warp * warp_queries + r;
      const Index i = first_i + in_block;
      float score = 0;
      for (Index c = 0; c < s.width; ++c) {
        score += queries[in_block * row + c] * keys[lane * row + c];
      }
      score = j < s.keys && sees(s, i, j) ? score * s.scale : -INFINITY;
      // [fused loop]
      // [fused softmax]
      const float before = highest[r];
      highest[r] = higher(before, highest_of(score));
      const bool nothing = highest[r] == -INFINITY;
      const float rescale = nothing ? 1 : expf(before - highest[r]);
      const float weight = nothing ? 0 : expf(score - highest[r]);
      total[r] = total[r] * rescale + sum_of(weight);
      weights[in_block * block_keys + lane] = weight;
      __syncwarp();  // the row of weights is this warp's own
      // [fused softmax]
      // [fused context]
#pragma unroll
      for (int m = 0; m < most_columns; ++m) {
        if (lane + 32 * m >= s.width) break;
        float sum = context[r][m] * rescale;
        for (int of = 0; of < block_keys; ++of) {
          sum += weights[in_block * block_keys + of] *
                 values[of * row + lane + 32 * m];
        }
        context[r][m] = sum;
      }
    }
    __syncthreads();  // nobody needs the tiles any more
  }
#pragma unroll
  for (int r = 0; r < warp_queries; ++r) {
    const Index i = first_i + warp * warp_queries + r;
    if (i >= s.queries) break;
#pragma unroll
    for (int m = 0; m < most_columns; ++m) {
      if (lane + 32 * m >= s.width) break;
      out[query_at(s, b, i, h) + lane + 32 * m] =
          total[r] == 0 ? 0 : context[r][m] / total[r];
    }
  }
}
// [fused context]

// [fused launch]
void fused_kernel(const DeviceCall<float>& call) {
  const Sizes& s = call.sizes;
  device::launch(
      "fused_attention_kernel", fused_attention_kernel,
      {{pieces(s.queries, block_queries), s.heads, s.batch},
       {32, block_warps},
       static_cast<std::size_t>(fused_floats(s.width)) * sizeof(float)},
      s, call.q, call.k, call.v, call.out);
}
// [fused launch]

}  // namespace KERNEL_NAMESPACE
