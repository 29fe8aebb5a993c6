// Exercise 4.2: Count any layer
// kind: implement
// difficulty: 2
// section: any-shape
// check: it counts what the four matrices hold
//
// Write the count of a layer's four matrices, without biases: queries for
// `n_heads` heads, keys and values for `n_kv_heads`, all `d_head` wide, on
// tokens of width `d_model`. Heads need not add up to `d_model`.
//
// Two things must be refused, each with `std::invalid_argument` and a message
// that names the numbers. First, key and value heads that do not divide the
// query heads; 0 divides none, and asking for the remainder by 0 ends the
// program. Second, a count that does not fit in 64 bits: such a product must
// not be computed at all, since a signed overflow has no defined result.
//
// `mha::require(condition, "{} and {}", a, b)` throws with that text when the
// condition is false.
//
// hint: Two matrices have a side of `n_heads * d_head`, and two a side of
//   `n_kv_heads * d_head`. All have another side of `d_model`.
// hint: So the count is 2 d_model d_head (n_heads + n_kv_heads).
// hint: Before a * b, ask whether a <= largest / b, where `largest` is
//   `std::numeric_limits<mha::Index>::max()` and b is at least 1. Put that into
//   a small function and use it for every product. A sum can be too large
//   as well: ask the same of it.
#include "exercise/exercise.hpp"

mha::Index attention_parameters(mha::Index d_model, mha::Index n_heads,
                                mha::Index n_kv_heads, mha::Index d_head) {
  return 0;
}
