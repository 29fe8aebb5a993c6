// Solution 3.5: Loud and empty
//
// With w_v zero in its columns the head hands over its value bias, from
// whichever token it reads. The weights of a row sum to 1, so the context is
// that bias, and what the head writes is one constant row. Nothing about the
// text gets through. Still, replacing it by zero moves every token by that row.
//
// A constant can matter to what comes after, since a later layer was trained
// with it there. That is why taking it away does harm, and why the harm says
// so little about the head. Replacing what a head writes by its mean over many
// tokens takes away what the head says about this text, and leaves the
// constant. For this head that changes nothing.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

mha::LayerWeights<double> loud_and_empty(mha::LayerWeights<double> w,
                                         mha::Index n_heads, mha::Index h) {
  const mha::Index d_head = w.w_v.cols() / n_heads;
  mha::head_of(w.w_v, h, d_head).setZero();
  mha::head_of(w.b_v, h, d_head).setConstant(1000);
  return w;
}
