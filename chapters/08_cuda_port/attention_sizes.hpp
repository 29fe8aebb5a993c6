// Chapter 8: the sizes of one attention, for host and device alike.
#pragma once

#include <cstdint>

namespace cuda_port {

// [sizes]
// Counts and offsets: 64 bits, on the device too.
using Index = std::int64_t;

// One call. q and out are (batch queries, heads width), k and v are
// (batch keys, kv_heads width), all row by row: as a projection leaves them.
struct Sizes {
  Index batch = 1;
  Index heads = 1;
  Index kv_heads = 1;
  Index queries = 1;  // an item
  Index keys = 1;     // an item
  Index width = 64;   // columns of a head
  bool causal = false;  // the last query sees the last key
  float scale = 0.125F;
};
// [sizes]

}  // namespace cuda_port
