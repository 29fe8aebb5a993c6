// Solution 4.2: Count any layer
//
// Queries and the output matrix have a side of n_heads d_head, keys and values
// one of n_kv_heads d_head. Their other side is d_model, so everything shares
// the factor d_model d_head.
//
// A product is asked about before it is made. Dividing the largest number by
// one factor says how large the other may be, and nothing can overflow on the
// way. The sum of two head counts is safe here: a head count that large is
// refused by the products. The text asks first whether the kv heads divide,
// so that a wrong shape is called a wrong shape.
#include "exercise/exercise.hpp"

#include <limits>

namespace {

mha::Index product(mha::Index a, mha::Index b) {
  mha::require(a <= std::numeric_limits<mha::Index>::max() / b,
               "{} x {} does not fit in 64 bits", a, b);
  return a * b;
}

}  // namespace

mha::Index attention_parameters(mha::Index d_model, mha::Index n_heads,
                                mha::Index n_kv_heads, mha::Index d_head) {
  mha::require(n_kv_heads >= 1 && n_heads % n_kv_heads == 0,
               "n_kv_heads = {} does not divide n_heads = {}", n_kv_heads,
               n_heads);
  const mha::Index two_matrices = product(product(2, d_model), d_head);
  return product(two_matrices, n_heads + n_kv_heads);
}
