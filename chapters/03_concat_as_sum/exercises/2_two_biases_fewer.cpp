// Exercise 3.2: Two biases fewer
// kind: implement
// difficulty: 2
// section: what-goes-in-once
// check: the key and value biases are gone and nothing changes
//
// A layer has four biases. Two of them do nothing that the other two could
// not do. Write `fold_biases`: it returns weights with `b_k` and `b_v` empty
// (of size 0), that compute the same output for every input.
//
// A bias may be empty already; that means there is none. Then think about one
// more thing, and see the solution: for which token do the two layers differ?
//
// hint: What does a key bias add to the scores of one query? Is it the same
//   for every key?
// hint: A number that is added to a whole row of scores changes no weight, so
//   `b_k` can go without a trace.
// hint: The value bias adds the row `b_v * w_o` to every token's output. Which
//   bias is added to every token's output as well?
// hint: If `b_o` is empty, the new `b_o` is `b_v * w_o`; otherwise add it.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

mha::LayerWeights<double> fold_biases(mha::LayerWeights<double> w) {
  return w;
}
