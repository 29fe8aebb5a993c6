// Chapter 8: the same three kernels, with tiles in shared memory.
#include "attention_kernels.hpp"
#include "kernel_parts.hpp"

namespace KERNEL_NAMESPACE {

// [tile]
constexpr int tile = 32;  // rows, columns, and what is loaded at a time
constexpr int warps = 8;  // of a block, each with every eighth row
constexpr int rows = tile / warps;  // of a thread

// One column more than is used: without it a column would lie in one bank.
using Tile = float[tile][tile + 1];
// [tile]

// [load tile]
// Rows `first` to first + 31 of a table with `count` rows, 32 columns from
// `column` on; zeros outside. Row r begins at table + r * stride.
__device__ inline void load_tile(Tile& to, const float* table, Index stride,
                                 Index first, Index count, Index column,
                                 Index width) {
  for (int r = static_cast<int>(threadIdx.y); r < tile; r += warps) {
    const int c = static_cast<int>(threadIdx.x);
    const bool inside = first + r < count && column + c < width;
    to[r][c] = inside ? table[(first + r) * stride + column + c] : 0;
  }
}
// [load tile]

// [tiled scores]
// A block for each square of 32 x 32 scores.
__global__ void tiled_scores(Sizes s, const float* q, const float* k,
                             float* scores) {
  __shared__ Tile queries;
  __shared__ Tile keys;
  const Index across = pieces(s.keys, tile);
  const Index first_i = blockIdx.x / across * tile;
  const Index first_j = blockIdx.x % across * tile;
  const Index h = blockIdx.y, b = blockIdx.z;
  const float* of_item = q + query_at(s, b, 0, h);
  const float* of_keys = k + key_at(s, b, 0, h / (s.heads / s.kv_heads));
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  float sum[rows] = {};
  for (Index column = 0; column < s.width; column += tile) {
    load_tile(queries, of_item, s.heads * s.width, first_i, s.queries, column,
              s.width);
    load_tile(keys, of_keys, s.kv_heads * s.width, first_j, s.keys, column,
              s.width);
    __syncthreads();  // the tiles are complete
    for (int c = 0; c < tile; ++c) {
      const float of_key = keys[x][c];
      for (int r = 0; r < rows; ++r) {
        sum[r] += queries[y + warps * r][c] * of_key;
      }
    }
    __syncthreads();  // nobody needs them any more
  }
  // [tiled scores]
  // [tiled scores out]
  const Index j = first_j + x;
  for (int r = 0; r < rows; ++r) {
    const Index i = first_i + y + warps * r;
    if (i < s.queries && j < s.keys) {
      scores[((b * s.heads + h) * s.queries + i) * s.keys + j] =
          sees(s, i, j) ? sum[r] * s.scale : -INFINITY;
    }
  }
}
// [tiled scores out]

// [softmax rows]
// A warp for each row: neighbouring lanes have neighbouring numbers.
__global__ void softmax_rows(Sizes s, float* scores) {
  const Index n = static_cast<Index>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (n >= s.batch * s.heads * s.queries) return;  // the whole warp
  float* row = scores + n * s.keys;
  float highest = -INFINITY;
  for (Index j = threadIdx.x; j < s.keys; j += 32) {
    highest = higher(highest, row[j]);
  }
  highest = highest_of(highest);
  float total = 0;
  for (Index j = threadIdx.x; j < s.keys; j += 32) {
    const float weight = highest == -INFINITY ? 0 : expf(row[j] - highest);
    row[j] = weight;
    total += weight;
  }
  total = sum_of(total);
  for (Index j = threadIdx.x; j < s.keys; j += 32) {
    row[j] = total == 0 ? 0 : row[j] / total;
  }
}
// [softmax rows]

// [tiled context]
// A block for each square of 32 queries and 32 columns of a head.
__global__ void tiled_context(Sizes s, const float* weights, const float* v,
                              float* out) {
  __shared__ Tile of_rows;
  __shared__ Tile values;
  const Index across = pieces(s.width, tile);
  const Index first_i = blockIdx.x / across * tile;
  const Index first_c = blockIdx.x % across * tile;
  const Index h = blockIdx.y, b = blockIdx.z;
  const float* maps = weights + (b * s.heads + h) * s.queries * s.keys;
  const float* of_keys = v + key_at(s, b, 0, h / (s.heads / s.kv_heads));
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  float sum[rows] = {};
  for (Index first = 0; first < s.keys; first += tile) {
    load_tile(of_rows, maps, s.keys, first_i, s.queries, first, s.keys);
    load_tile(values, of_keys, s.kv_heads * s.width, first, s.keys, first_c,
              s.width);
    __syncthreads();
    for (int j = 0; j < tile; ++j) {
      const float value = values[j][x];
      for (int r = 0; r < rows; ++r) {
        sum[r] += of_rows[y + warps * r][j] * value;
      }
    }
    __syncthreads();
  }
  // [tiled context]
  // [tiled context out]
  const Index c = first_c + x;
  for (int r = 0; r < rows; ++r) {
    const Index i = first_i + y + warps * r;
    if (i < s.queries && c < s.width) {
      out[query_at(s, b, i, h) + c] = sum[r];
    }
  }
}
// [tiled context out]

// [tiled launches]
void tiled_kernels(const DeviceCall<float>& call) {
  const Sizes& s = call.sizes;
  const auto grid = [&](Index down, Index across) {
    return device::Extent(pieces(down, tile) * pieces(across, tile), s.heads,
                          s.batch);
  };
  const Index all_rows = s.batch * s.heads * s.queries;
  device::launch("tiled_scores", tiled_scores,
                 {grid(s.queries, s.keys), {tile, warps}}, s, call.q,
                 call.k, call.scratch);
  device::launch("softmax_rows", softmax_rows,
                 {{pieces(all_rows, 4)}, {32, 4}}, s, call.scratch);
  device::launch("tiled_context", tiled_context,
                 {grid(s.queries, s.width), {tile, warps}}, s,
                 call.scratch, call.v, call.out);
}
// [tiled launches]

}  // namespace KERNEL_NAMESPACE
