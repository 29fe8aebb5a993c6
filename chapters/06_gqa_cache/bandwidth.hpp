// Chapter 6: how fast a cache is read, on the machine at hand.
#pragma once

#include "mha/matrix.hpp"

namespace bandwidth {

// [measured]
struct Measured {
  mha::Index n_kv_heads;
  mha::Index bytes;    // of keys and values
  double probe;        // seconds to read as many bytes and add them up
  double decode;       // seconds of a decode that reads each byte once
  double products;     // seconds of the same by matrix products
};

// The best of several rounds, each of the three after another, for one
// layer of 32 query heads of 128 columns.
Measured measure(mha::Index n_kv_heads, mha::Index tokens, int rounds);

void print_measured(mha::Index tokens);
// [measured]

}  // namespace bandwidth
