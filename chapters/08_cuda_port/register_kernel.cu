// Chapter 8: register tiles, vector loads, shared keys, and bfloat16.
#include "attention_kernels.hpp"
#include "kernel_parts.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace KERNEL_NAMESPACE {

// [register sizes]
constexpr int tile_rows = 64;  // a row is a query of a head
constexpr int tile_keys = 64;
constexpr int side = 16;       // a block is 16 x 16 threads, each with 4 x 4
constexpr int map_row = tile_keys + 4;

// Numbers in a row of a tile: whole float4, an odd number of them, so that a
// column lies in different banks.
__host__ __device__ inline int row_floats(Index width) {
  return static_cast<int>(pieces(width, 4) | 1) * 4;
}

__host__ inline std::size_t register_bytes(Index width) {
  const int floats = (tile_rows + tile_keys) * row_floats(width) +
                     tile_rows * map_row;
  return static_cast<std::size_t>(floats) * sizeof(float);
}
// [register sizes]

// [four columns]
// Columns c to c + 3, zeros behind the last. In one piece where rows allow it;
// launch_tiles sees to the alignment of the arrays.
template <typename Element>
__device__ inline float4 four_columns(const Element* row, int c, Index width) {
  if (width % 4 == 0) return load4(row + c);
  float x[4] = {};
  for (int n = 0; n < 4 && c + n < width; ++n) {
    x[n] = static_cast<float>(row[c + n]);
  }
  return {x[0], x[1], x[2], x[3]};
}

template <typename Element>
__device__ inline void put_columns(Element* row, int c, Index width, float4 x) {
  if (width % 4 == 0) return store4(row + c, x);
  const float all[4] = {x.x, x.y, x.z, x.w};
  for (int n = 0; n < 4 && c + n < width; ++n) row[c + n] = Element(all[n]);
}
// [four columns]

// [add products]
__device__ inline float dot(float4 a, float4 b, float sum) {
  return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__device__ inline void add_times(float4& sum, float factor, float4 x) {
  sum.x += factor * x.x;
  sum.y += factor * x.y;
  sum.z += factor * x.z;
  sum.w += factor * x.w;
}
// [add products]

// [packed rows]
// The rows of a block: `packed` heads that share their keys, query by query.
struct Rows {
  Index b, head, packed, first;

  __device__ Index query(int row) const { return (first + row) / packed; }
  __device__ Index at(const Sizes& s, int row) const {
    return query_at(s, b, query(row), head + (first + row) % packed);
  }
};
// [packed rows]

// [load keys]
// Of keys first_j to first_j + 63 of one head, all columns; zeros after the
// last.
template <typename Element>
__device__ __forceinline__ void load_keys(float* to, const Sizes& s,
                                          const Element* of_head,
                                          Index first_j) {
  const int x = static_cast<int>(threadIdx.x);
  for (int r = static_cast<int>(threadIdx.y); r < tile_keys; r += side) {
    const Index j = first_j + r;
    for (int c = 4 * x; c < s.width; c += 4 * side) {
      float4 four = {0, 0, 0, 0};
      if (j < s.keys) {
        four = four_columns(of_head + j * s.kv_heads * s.width, c, s.width);
      }
      store4(to + r * row_floats(s.width) + c, four);
    }
  }
}
// [load keys]

// [register kernel]
template <typename Element>
__global__ void register_tiles_kernel(Sizes s, Index packed, const Element* q,
                                      const Element* k, const Element* v,
                                      Element* out) {
  const Rows rows{blockIdx.z, blockIdx.y * packed, packed,
                  static_cast<Index>(blockIdx.x) * tile_rows};
  const Index all_rows = s.queries * packed;
  const Index first_key = key_at(s, rows.b, 0,
                                 rows.head / (s.heads / s.kv_heads));
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int row = row_floats(s.width);
  float* queries = dynamic_shared<float>();
  float* keys = queries + tile_rows * row;  // later the values
  float* weights = keys + tile_keys * row;
  for (int r = y; r < tile_rows; r += side) {
    for (int c = 4 * x; c < s.width; c += 4 * side) {
      float4 four = {0, 0, 0, 0};
      if (rows.first + r < all_rows) {
        four = four_columns(q + rows.at(s, r), c, s.width);
      }
      store4(queries + r * row + c, four);
    }
  }
  // [register kernel]
  // [register scores]
  float highest[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  float total[4] = {};
  float4 context[4][2] = {};
  const Index seen = seen_before(s, rows.query(tile_rows - 1) + 1);
  for (Index first_j = 0; first_j < seen; first_j += tile_keys) {
    load_keys(keys, s, k + first_key, first_j);
    __syncthreads();
    float score[4][4] = {};
    for (int c = 0; c < s.width; c += 4) {
      float4 of_key[4];
      for (int u = 0; u < 4; ++u) {
        of_key[u] = load4(keys + (x + side * u) * row + c);
      }
      for (int r = 0; r < 4; ++r) {
        const float4 of_query = load4(queries + (4 * y + r) * row + c);
        for (int u = 0; u < 4; ++u) {
          score[r][u] = dot(of_query, of_key[u], score[r][u]);
        }
      }
    }
    // [register scores]
    // [register softmax]
    float rescale[4];
    for (int r = 0; r < 4; ++r) {
      const Index i = rows.query(4 * y + r);
      float here = -INFINITY;
      for (int u = 0; u < 4; ++u) {
        const Index j = first_j + x + side * u;
        score[r][u] = j < s.keys && sees(s, i, j) ? score[r][u] * s.scale
                                                  : -INFINITY;
        here = higher(here, score[r][u]);
      }
      const float before = highest[r];
      highest[r] = higher(before, highest_of(here, side));
      const bool nothing = highest[r] == -INFINITY;
      rescale[r] = nothing ? 1 : expf(before - highest[r]);
      float sum = 0;
      for (int u = 0; u < 4; ++u) {
        const float w = nothing ? 0 : expf(score[r][u] - highest[r]);
        weights[(4 * y + r) * map_row + x + side * u] = w;
        sum += w;
      }
      total[r] = total[r] * rescale[r] + sum_of(sum, side);
    }
    __syncthreads();  // the keys are done with, the weights complete
    // [register softmax]
    // [register context]
    load_keys(keys, s, v + first_key, first_j);
    __syncthreads();
    for (int r = 0; r < 4; ++r) {
      for (float4& sum : context[r]) {
        sum = {sum.x * rescale[r], sum.y * rescale[r], sum.z * rescale[r],
               sum.w * rescale[r]};
      }
    }
    for (int j = 0; j < tile_keys; j += 4) {
      float4 w[4];
      for (int r = 0; r < 4; ++r) {
        w[r] = load4(weights + (4 * y + r) * map_row + j);
      }
      for (int m = 0; m < 2 && 4 * (x + side * m) < s.width; ++m) {
        const float* value = keys + j * row + 4 * (x + side * m);
        const float4 a = load4(value), b = load4(value + row);
        const float4 c = load4(value + 2 * row), d = load4(value + 3 * row);
        for (int r = 0; r < 4; ++r) {
          add_times(context[r][m], w[r].x, a);
          add_times(context[r][m], w[r].y, b);
          add_times(context[r][m], w[r].z, c);
          add_times(context[r][m], w[r].w, d);
        }
      }
    }
    __syncthreads();
  }
  // [register context]
  // [register out]
  for (int r = 0; r < 4; ++r) {
    if (rows.first + 4 * y + r >= all_rows) continue;
    const float share = total[r] == 0 ? 0 : 1 / total[r];
    for (int m = 0; m < 2 && 4 * (x + side * m) < s.width; ++m) {
      const float4 sum = context[r][m];
      put_columns(out + rows.at(s, 4 * y + r), 4 * (x + side * m), s.width,
                  {sum.x * share, sum.y * share, sum.z * share,
                   sum.w * share});
    }
  }
}
// [register out]

// [register launches]
template <typename Element>
void require_aligned(const char* name, const Element* array) {
  constexpr std::uintptr_t four = 4 * sizeof(Element);
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(array) % four;
  if (past != 0) {
    throw std::invalid_argument(
        std::string(name) + ": an array begins " + std::to_string(past) +
        " bytes past a multiple of " + std::to_string(four) +
        "; align q, k, v and out");
  }
}

template <typename Element>
void launch_tiles(const char* name, const DeviceCall<Element>& call,
                  Index packed) {
  const Sizes& s = call.sizes;
  if (s.width % 4 == 0) {
    require_aligned(name, call.q);
    require_aligned(name, call.k);
    require_aligned(name, call.v);
    require_aligned(name, call.out);
  }
  device::launch(
      name, register_tiles_kernel<Element>,
      {{pieces(s.queries * packed, tile_rows), s.heads / packed, s.batch},
       {side, side},
       register_bytes(s.width)},
      s, packed, call.q, call.k, call.v, call.out);
}

void register_tiles(const DeviceCall<float>& call) {
  launch_tiles("register_tiles", call, 1);
}

void grouped_tiles(const DeviceCall<float>& call) {
  launch_tiles("grouped_tiles", call, call.sizes.heads / call.sizes.kv_heads);
}

void grouped_tiles_bf16(const DeviceCall<__nv_bfloat16>& call) {
  launch_tiles("grouped_tiles_bf16", call,
               call.sizes.heads / call.sizes.kv_heads);
}
// [register launches]

}  // namespace KERNEL_NAMESPACE
