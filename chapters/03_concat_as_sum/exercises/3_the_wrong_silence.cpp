// Exercise 3.3: The wrong silence
// kind: find the bug
// difficulty: 2
// section: common-mistakes
// check: the output lacks what the head wrote and nothing else
//
// This function takes a head out of a layer by clearing everything the head
// owns. The sizes stay as they are. It runs, and the head's work is gone. So
// is some of everybody's.
//
// Find what is wrong and repair it. Then try this: if you delete the last line
// that clears something instead of mending it, which check notices, and why?
//
// hint: The check prints three rows of an output without head 0. Which numbers
//   are exactly 0? Does a head own them?
// hint: w_q, w_k and w_v come before the heads: a head owns what comes out of
//   them, some columns. Where does w_o stand?
// hint: w_o comes after the heads: a head owns what goes into it. In x W + b
//   these are rows: `w.w_o.middleRows(h * d_head, d_head)`.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

mha::LayerWeights<double> without_head(mha::LayerWeights<double> w,
                                       mha::Index n_heads, mha::Index h) {
  const mha::Index d_head = w.w_q.cols() / n_heads;
  mha::head_of(w.w_q, h, d_head).setZero();
  mha::head_of(w.w_k, h, d_head).setZero();
  mha::head_of(w.w_v, h, d_head).setZero();
  mha::head_of(w.w_o, h, d_head).setZero();
  return w;
}
