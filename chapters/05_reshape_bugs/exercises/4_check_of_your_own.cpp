// Exercise 5.4: A check of your own
// kind: implement
// difficulty: 2
// section: a-layer-in-steps
// check: it finds the layer that takes tokens for items
//
// The items of a batch are strangers to each other. What a right layer returns
// for one of them depends on the rows of that item and on nothing else. Write
// the check of that sentence: `find_fault` takes any attention, and returns an
// empty string, or says what is wrong, such as "item 1 was changed, and item 0
// changed with it".
//
// You have no right layer to compare with, and you need none. You choose what
// goes in. Your check is then let loose on right layers and wrong ones, and you
// are told which it accused and which it missed. Whether a layer has other
// faults is not asked.
//
// As shipped, the check looks at the shape, as most tests do.
//
// hint: Run the layer twice. Between the two runs, change something of which
//   item 0 must not take notice. What may differ in the output?
// hint: A leak may go one way only, and by queries, keys or values alone.
//   Change all three, of every item in turn, and look at all the others. Or
//   turn it round: give the layer each item alone, as a batch of one. What must
//   come out?
// hint: Two right runs may differ in the last digits, since a layer may add up
//   in an order that depends on the batch. Allow 1e-12. And write the
//   comparison so that NaN fails: `!(difference <= 1e-12)`, not `difference >
//   1e-12`.
// hint: Item i of a batch is `batch.q.middleRows(i * tokens, tokens)`, likewise
//   for k and v. Make a `Batch` of it with 1 for `items`, and compare what the
//   layer returns for it with rows i * tokens and following of what it returned
//   for all: `mha::max_abs_difference(alone, together)`.
#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <functional>
#include <string>

// One row a token, the items below each other, the heads side by side.
struct Batch {
  mha::Matrix<double> q, k, v;  // (items tokens, n_heads d_head)
  mha::Index items, n_heads;
};

using Attention = std::function<mha::Matrix<double>(const Batch&)>;

// Numbers of about 1, other ones for every seed.
Batch random_batch(std::uint32_t seed, mha::Index items, mha::Index tokens,
                   mha::Index n_heads, mha::Index d_head) {
  mha::TorchGenerator generator(seed);
  const auto draw = [&]() -> mha::Matrix<double> {
    return generator.normal(items * tokens, n_heads * d_head).cast<double>();
  };
  return {draw(), draw(), draw(), items, n_heads};
}

std::string find_fault(const Attention& attention) {
  const Batch batch = random_batch(1, 2, 3, 2, 4);
  const mha::Matrix<double> output = attention(batch);
  if (output.rows() != batch.q.rows() || output.cols() != batch.q.cols()) {
    return "the output has another shape than the queries";
  }
  return "";
}
