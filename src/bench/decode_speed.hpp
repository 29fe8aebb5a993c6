/// \file decode_speed.hpp
/// Measures how fast one token's queries read a cache, beside a program that
/// does nothing but read.
#pragma once

#include "bench_run.hpp"

#include "mha/matrix.hpp"

namespace bench {

/// A cache that is read by 32 query heads of 128 columns.
struct DecodeShape {
  mha::Index kv_heads = 1;  ///< a divisor of 32
  mha::Index mib = 1;       ///< of keys and values; gives the tokens
};

/// The library's decode and, with one thread, two matrix products for each
/// key/value head. Each measurement stands between two of reading as many bytes
/// elsewhere.
/// \param shape    of the cache
/// \param threads  that work at once
/// \param seconds  for about how long; there are at least five measurements
/// \return the speed of each
std::vector<Decode> measure_decode(const DecodeShape& shape, int threads,
                                   double seconds);

}  // namespace bench
