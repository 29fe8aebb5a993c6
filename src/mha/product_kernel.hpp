/// \file product_kernel.hpp
/// The same as group_kernel.hpp by two general matrix products, to compare
/// with (chapter 6).
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

}  // namespace mha
