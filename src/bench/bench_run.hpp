/// \file bench_run.hpp
/// What a run of `./mha bench` measured, and its file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Several measurements of one thing.
struct Spread {
  double median = 0;
  double low = 0;   ///< a quarter of the measurements lie below
  double high = 0;  ///< a quarter lie above
};

/// \param values  at least one
/// \return their median and quartiles
Spread spread_of(std::vector<double> values);

/// \return whether a quarter of one's measurements lie within the other's:
///         then no difference is claimed
/// \param a  a spread
/// \param b  another
bool overlap(const Spread& a, const Spread& b);

/// The speed of one attention at one size.
struct Speed {
  std::string what;         ///< such as "naive"
  std::int64_t tokens = 0;  ///< queries, and keys
  std::int64_t heads = 0;   ///< of 64 columns each
  bool causal = false;      ///< half the operations are counted then
  int threads = 1;          ///< at work
  Spread gflops;            ///< 10^9 operations a second
  Spread share;             ///< of the peak measured around each measurement
};

/// How fast one token's queries read a cache: 32 query heads of 128 columns.
struct Decode {
  std::string what;           ///< "fused", or "products" of matrices
  std::int64_t kv_heads = 0;  ///< that share the cache
  std::int64_t tokens = 0;    ///< in it
  double mib = 0;             ///< of keys and values
  int threads = 1;            ///< at work
  Spread gb_per_second;       ///< 10^9 bytes of the cache a second
  Spread share;  ///< time to read as many bytes, before and after, over its own
};

/// How much memory a process gained while attention ran.
struct Memory {
  std::string what;         ///< such as "naive"
  std::int64_t tokens = 0;  ///< of one head of 64 columns
  double mib = 0;           ///< beyond input and output
};

/// Everything of one run.
struct BenchRun {
  std::string machine;   ///< the processor's name
  std::string date;      ///< such as "2025-11-30"
  std::string compiler;  ///< name and version
  std::string torch;     ///< libtorch's version; empty without
  int lanes = 0;         ///< of the widest vectors
  int threads = 1;       ///< of the measurements with all
  Spread peak_one;       ///< GFLOP/s of one thread
  Spread peak_all;       ///< GFLOP/s of all
  Spread read;           ///< GB/s that all threads read from memory
  std::vector<Speed> ladder;   ///< the chapter's steps, one head, one thread
  std::vector<Speed> layers;   ///< twelve heads, all threads
  std::vector<Speed> less;     ///< the fused one with one idea less each
  std::vector<Decode> decode;  ///< near and far caches, one thread and all
  std::vector<Memory> memory;  ///< empty unless asked for
};

/// \param run  what was measured
/// \return as JSON
std::string to_json(const BenchRun& run);

/// \param path  a file that to_json made
/// \return what was measured
/// \throws std::invalid_argument when the file cannot be read, or is not one
BenchRun read_run(const std::string& path);

/// \param speeds  some
/// \param what    a name
/// \param tokens  a size
/// \param causal  whether causal
/// \return that one of them
/// \throws std::invalid_argument when there is none
const Speed& find_speed(const std::vector<Speed>& speeds,
                        const std::string& what, std::int64_t tokens,
                        bool causal);

}  // namespace bench
