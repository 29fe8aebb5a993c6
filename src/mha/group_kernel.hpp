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

// [attend group]
/// Floats between the scores of one query and those of the next.
/// \param tokens  keys
/// \return tokens, up to a full cache line
constexpr std::ptrdiff_t scores_stride(std::ptrdiff_t tokens) {
  return (tokens + 15) / 16 * 16;
}

/// Softmax attention of one query each of several heads over the same keys.
/// Every key and every value is read once. The order of every sum depends on
/// the number of keys alone, not on where they lie nor on how they are split
/// into runs.
/// \param q       (heads, d_head) queries
/// \param heads   query heads that share these keys and values
/// \param d_head  columns of a query, a key and a value
/// \param scale   factor on the dot products
/// \param runs    the keys and values, oldest first
/// \param n_runs  number of runs
/// \param scores  scratch, (heads, scores_stride(all tokens)), starting at a
///                cache line
/// \param out     (heads, d_head): zeros when there is no key
/// \param lanes   floats in a vector, one of vector_widths(); 0: the widest
/// \throws std::invalid_argument when this machine does not have that width
void attend_group(const float* q, std::ptrdiff_t heads, std::ptrdiff_t d_head,
                  float scale, const KeyValueRun* runs, std::ptrdiff_t n_runs,
                  float* scores, float* out, int lanes = 0);
// [attend group]

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
  /// As attend_group(): (q, heads, d_head, scale, runs, n_runs, scores, out).
  void (*attend)(const float*, std::ptrdiff_t, std::ptrdiff_t, float,
                 const KeyValueRun*, std::ptrdiff_t, float*, float*);
  /// As read_all(): (numbers, n).
  float (*read)(const float*, std::ptrdiff_t);
};

/// \tparam lanes  4, and on x86-64 also 8 (AVX2 and FMA) and 16 (AVX-512)
/// \return the code for that width; it may be run only on a machine that has it
template <int lanes>
GroupKernel group_kernel();
// [group kernel]

}  // namespace mha
