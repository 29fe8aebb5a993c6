/// \file group_kernel.hpp
/// One key/value head read once for all query heads that share it (chapter 6).
/// The source file is compiled once for each width of vectors.
#pragma once

#include <cstddef>

namespace mha {

// [run]
/// Keys and values of one head that lie row under row.
struct KeyValueRun {
  const float* k = nullptr;   ///< (tokens, d_head)
  const float* v = nullptr;   ///< (tokens, d_head)
  std::ptrdiff_t tokens = 0;  ///< rows
};
// [run]

// [group call]
/// Floats between the scores of one query and those of the next.
/// \param tokens  keys
/// \return tokens, up to a full cache line
constexpr std::ptrdiff_t scores_stride(std::ptrdiff_t tokens) {
  return (tokens + 15) / 16 * 16;
}

/// What merging a softmax over some of the keys with others takes: its weights
/// are 2^(score log2(e) - highest) / total.
struct SoftmaxPart {
  float highest;  ///< the highest score, times log2(e)
  float total;    ///< what the weights added up to before the division
};

/// Softmax attention of one query each of several heads over the same keys.
struct GroupCall {
  const float* q = nullptr;    ///< (heads, d_head)
  std::ptrdiff_t heads = 1;    ///< query heads that share keys and values
  std::ptrdiff_t d_head = 1;   ///< columns of a query, a key and a value
  float scale = 1;             ///< factor on the dot products
  const KeyValueRun* runs = nullptr;  ///< keys and values, oldest first
  std::ptrdiff_t n_runs = 0;   ///< number of runs
  float* scores = nullptr;     ///< scratch, (heads, scores_stride(all tokens))
  float* out = nullptr;        ///< (heads, d_head): zeros when there is no key
  SoftmaxPart* parts = nullptr;  ///< (heads): written
};
// [group call]

// [read probe]
/// Adds up numbers: about the fastest way to have read them.
/// \param numbers  n floats
/// \param n        how many
/// \return their sum, in no particular order
float read_all(const float* numbers, std::ptrdiff_t n);
// [read probe]

// [group kernel]
/// The code for one width of vectors.
struct GroupKernel {
  /// Reads every key and every value once. The order of every sum depends on
  /// the number of keys alone, not on where they lie nor on how they are split
  /// into runs.
  void (*attend)(const GroupCall&);
  /// As read_all(): (numbers, n).
  float (*read)(const float*, std::ptrdiff_t);
};

/// \tparam lanes  4, and on x86-64 also 8 (AVX2 and FMA) and 16 (AVX-512)
/// \return the code for that width; it may be run only on a machine that has it
template <int lanes>
GroupKernel group_kernel();

/// \param lanes  one of vector_widths(); 0: the widest
/// \return the code for that width
/// \throws std::invalid_argument when this machine does not have it
GroupKernel group_kernel_for(int lanes);
// [group kernel]

}  // namespace mha
