// Solution 3.3: The wrong silence
//
// Three of the matrices stand before the heads, and a head owns the columns
// that come out for it. The fourth stands after them, and a head owns the rows
// that its numbers go into. Clearing columns of w_o instead silences slots of
// the output, which belong to all heads together, and leaves the head itself
// writing to the others.
//
// With the last line deleted the head still writes its value bias times its
// rows of w_o, a constant for every token. In a fresh layer that bias is zero,
// so a test on a fresh layer sees nothing. Clearing the rows of w_o is enough
// by itself: whatever the head then computes, nobody hears it.
//
// PyTorch stores w_o the other way round, so there the same rows are columns:
// that is how the mistake gets made.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

mha::LayerWeights<double> without_head(mha::LayerWeights<double> w,
                                       mha::Index n_heads, mha::Index h) {
  const mha::Index d_head = w.w_q.cols() / n_heads;
  w.w_o.middleRows(h * d_head, d_head).setZero();
  return w;
}
