// Solution 4.2: Count any layer
//
// Queries and the output matrix have a side of n_heads d_head, keys and values
// one of n_kv_heads d_head. Their other side is d_model, so everything shares
// the factor d_model d_head.
//
// A product is asked about before it is made. Dividing the largest number by
// one factor says how large the other may be, and nothing can overflow on the
// way. A sum of head counts could overflow too, so each product is made by
// itself, and the room that is left is asked about before they are added. The
// code asks first whether the kv heads divide,
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
               "n_kv_heads = {} does not divide n_heads = {}; choose a divisor",
               n_kv_heads, n_heads);
  const mha::Index two_heads = product(product(2, d_model), d_head);
  const mha::Index q_and_o = product(two_heads, n_heads);
  const mha::Index k_and_v = product(two_heads, n_kv_heads);
  mha::require(q_and_o <= std::numeric_limits<mha::Index>::max() - k_and_v,
               "{} + {} does not fit in 64 bits", q_and_o, k_and_v);
  return q_and_o + k_and_v;
}
