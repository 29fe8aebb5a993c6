/// \file product_kernel.hpp
/// General matrix products: attention over a cache, to compare with
/// group_kernel.hpp (chapter 6), and a plain product (chapter 9). The source
/// file is compiled once for each width of vectors.
#pragma once

#include "mha/group_kernel.hpp"

namespace mha {

// [attend by products]
/// Softmax attention of one query each of several heads over the same keys,
/// with Eigen's products.
/// \param q       (heads, d_head) queries
/// \param heads   query heads that share these keys and values
/// \param d_head  columns of a query, a key and a value
/// \param scale   factor on the dot products
/// \param run     the keys and values; there must be some
/// \param scores  scratch, (heads, tokens)
/// \param out     (heads, d_head)
void attend_by_products(const float* q, std::ptrdiff_t heads,
                        std::ptrdiff_t d_head, float scale,
                        const KeyValueRun& run, float* scores, float* out);
// [attend by products]

// [multiply]
/// A matrix product that uses all of the processor at hand (chapter 9).
/// \param a        (rows, inner), stored by rows
/// \param b        (inner, columns), stored by rows
/// \param rows     of a and of the product
/// \param inner    columns of a, rows of b
/// \param columns  of b and of the product
/// \param out      (rows, columns): a b
void multiply(const float* a, const float* b, std::ptrdiff_t rows,
              std::ptrdiff_t inner, std::ptrdiff_t columns, float* out);
// [multiply]

// [product kernel]
/// The code for one width of vectors.
struct ProductKernel {
  /// As attend_by_products(): (q, heads, d_head, scale, run, scores, out).
  void (*attend)(const float*, std::ptrdiff_t, std::ptrdiff_t, float,
                 const KeyValueRun&, float*, float*);
  /// As multiply(): (a, b, rows, inner, columns, out).
  void (*multiply)(const float*, const float*, std::ptrdiff_t, std::ptrdiff_t,
                   std::ptrdiff_t, float*);
};

/// \tparam lanes  4, and on x86-64 also 8 (AVX2 and FMA) and 16 (AVX-512)
/// \return the code for that width; it may be run only on a machine that has it
template <int lanes>
ProductKernel product_kernel();
// [product kernel]

}  // namespace mha
