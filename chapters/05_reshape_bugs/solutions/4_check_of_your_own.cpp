// Solution 5.4: A check of your own
//
// An item alone must get what it gets in company. So the layer serves as its
// own reference: run it on the whole batch, then on each item as a batch of
// one, and compare. A layer that mixes items has nobody to mix with when there
// is one, and so most of these bugs vanish there. That is how they got past
// their authors, and here it is what gives them away.
//
// Every item is looked at, since item 0 may be right where the others are not.
// More than one token and unequal random numbers are needed: with one token,
// the two orders of the rows are the same. The bound 1e-12 is for rounding, of
// sums of a few dozen numbers of about 1; a right layer may add up differently
// when the batch is larger. Written as "not at most", the comparison fails on
// NaN.
//
// The other way, changing one item and looking at the others, finds as much if
// queries, keys and values are all changed and every item has its turn.
// Changing the keys and values of item 1 and looking at item 0, as the
// chapter's own check does, misses a leak that goes the other way.
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
  constexpr mha::Index items = 3, tokens = 5;
  const Batch batch = random_batch(1, items, tokens, 2, 4);
  const mha::Matrix<double> output = attention(batch);
  for (mha::Index i = 0; i < items; ++i) {
    const auto of_item = [&](const mha::Matrix<double>& rows) {
      return mha::Matrix<double>(rows.middleRows(i * tokens, tokens));
    };
    const mha::Matrix<double> alone =
        attention({of_item(batch.q), of_item(batch.k), of_item(batch.v), 1,
                   batch.n_heads});
    const double difference = mha::max_abs_difference(alone, of_item(output));
    if (!(difference <= 1e-12)) {
      return fmt::format("item {} alone gets something else than among {}, off "
                         "by {:.2g}", i, items, difference);
    }
  }
  return "";
}
