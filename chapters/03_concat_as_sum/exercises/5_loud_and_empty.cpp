// Exercise 3.5: Loud and empty
// kind: implement
// difficulty: 2
// section: taking-a-head-out
// check: its absence changes the output most
//
// Somebody takes heads out one by one, replaces what they wrote by zero, and
// calls the head with the largest change the most important one. Build a layer
// that this method gets wrong.
//
// Write `loud_and_empty`: change head h so that it tells the model nothing, and
// still the output changes far more without it than without any other head. You
// may change the head's columns of `w_v` and its entries of `b_v`, and nothing
// else. "Nothing" is to be taken strictly: what the head writes must be the
// same for every token of every text, under every mask that leaves each token
// something to see. A constant that is merely too loud for the rest to be heard
// does not count.
//
// The last check does what should have been done: it replaces what the head
// wrote by its mean over the tokens, not by zero.
//
// hint: A head that reads nothing from its tokens has values that do not depend
//   on x. What must its columns of w_v be?
// hint: Then all its values are equal to its part of b_v. Their mixture is the
//   same whatever the weights are.
// hint: `mha::head_of(w.b_v, h, d_head)` are its entries of the bias. The other
//   heads write numbers of about 10. Make it loud.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

mha::LayerWeights<double> loud_and_empty(mha::LayerWeights<double> w,
                                         mha::Index n_heads, mha::Index h) {
  return w;
}
