// Solution 5.2: Heads by strides
//
// The last dimension of the rows holds head after head, so that is the one to
// cut: (B, T, H, d_head). Cutting one dimension in two is always a view, for
// whatever its stride is, the new strides are d_head times that, and that. Then
// transpose exchanges T and H. Nothing has moved, also not where the rows were
// a slice or a transpose.
//
// Merging undoes the two steps in the opposite order. Joining H and d_head is a
// view only where a step from one head to the next is as long as a head. After
// a split that is so, and merging straight away shares the memory. After a
// computation that wrote each head in one piece it is not, and reshape copies.
// A view in its place would be refused, for a good reason; the reason to use
// reshape here is that we know the order is right, not that the error goes
// away.
#include "exercise/exercise.hpp"

#include "mha/strided.hpp"

using Tensor = mha::StridedTensor<double>;

Tensor split_heads(const Tensor& rows, mha::Index n_heads) {
  const mha::Index b = rows.shape()[0], t = rows.shape()[1];
  const mha::Index d_head = rows.shape()[2] / n_heads;
  return rows.view({b, t, n_heads, d_head}).transpose(1, 2);
}

Tensor merge_heads(const Tensor& heads) {
  const Tensor by_token = heads.transpose(1, 2);  // (B, T, H, d_head)
  const mha::Shape& shape = by_token.shape();
  return by_token.reshape({shape[0], shape[1], shape[2] * shape[3]}).tensor;
}
