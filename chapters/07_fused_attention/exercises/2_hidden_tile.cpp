// Exercise 7.2: The hidden tile
// kind: find the bug
// difficulty: 2
// section: tiles
// check: a tile that is hidden changes nothing
//
// This function adds a tile of keys to what is known of a query. It was tested
// with causal masks and passed. Then a batch arrived that was padded on the
// left, and a few rows came out as NaN.
//
// A hidden key has a score of minus infinity. Find what goes wrong, and repair
// it. A query that has seen nothing must keep a total of 0 and a context of
// zeros; and what is right already must stay as it is, bit for bit.
//
// hint: With padding on the left, the first tile of a query may have no key
//   that is seen. What is `highest` after it?
// hint: Minus infinity less minus infinity is NaN.
// hint: When the maximum is still minus infinity after the tile, there is
//   nothing to add and nothing to rescale: return before the subtraction.
#include "exercise/exercise.hpp"

#include <algorithm>

struct Known {
  double highest;                  // of the scores so far
  double total;                    // of exp(score - highest)
  mha::RowVector<double> context;  // the same weights, times the values
};

// scores: (1, keys), values: (keys, d_head).
void add_tile(Known& now, const mha::RowVector<double>& scores,
              const mha::Matrix<double>& values) {
  const double before = now.highest;
  now.highest = std::max(before, scores.maxCoeff());
  const double rescale = std::exp(before - now.highest);
  const mha::RowVector<double> weights =
      (scores.array() - now.highest).exp();
  now.total = now.total * rescale + weights.sum();
  now.context = now.context * rescale + weights * values;
}
