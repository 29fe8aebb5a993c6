// Exercise 5.2: Heads by strides
// kind: implement
// difficulty: 2
// section: what-a-reshape-does
// check: head h of token t holds what the projection made for it
//
// Split a batch of projected rows `(B, T, H d_head)` into heads
// `(B, H, T, d_head)`, and merge heads into rows again, with
// `mha::StridedTensor`.
//
// Splitting must never copy, not even where the rows are themselves a view:
// the queries may be a slice of a packed projection `(B, T, 3 H d_head)`, or
// come from a model that puts the tokens before the batch. Merging may copy
// only where no view exists.
//
// The functions as shipped have the right shapes, and somebody's model was
// trained with them.
//
// hint: A view can cut a dimension in two or join neighbours. It cannot
//   exchange two dimensions; that is what `transpose` is for.
// hint: Which dimension of `(B, T, H d_head)` holds the heads? Cut that one,
//   and leave the others alone. Then two dimensions have to change places.
// hint: Merging goes the same way back: first exchange, then join. Which of
//   `view` and `reshape` may you use for the second step?
// hint: `rows.view({b, t, n_heads, -1}).transpose(1, 2)`, and back with
//   `heads.transpose(1, 2).reshape({b, t, -1}).tensor`.
#include "exercise/exercise.hpp"

#include "mha/strided.hpp"

using Tensor = mha::StridedTensor<double>;

// rows: (B, T, n_heads d_head); returns (B, n_heads, T, d_head).
Tensor split_heads(const Tensor& rows, mha::Index n_heads) {
  const mha::Index b = rows.shape()[0], t = rows.shape()[1];
  return rows.reshape({b, n_heads, t, rows.shape()[2] / n_heads}).tensor;
}

// heads: (B, H, T, d_head); returns (B, T, H d_head).
Tensor merge_heads(const Tensor& heads) {
  const mha::Index b = heads.shape()[0], t = heads.shape()[2];
  return heads.reshape({b, t, heads.shape()[1] * heads.shape()[3]}).tensor;
}
