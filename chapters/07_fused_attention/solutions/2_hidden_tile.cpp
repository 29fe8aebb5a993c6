// Solution 7.2: The hidden tile
//
// Before any key the maximum is minus infinity. A tile with nothing to see
// leaves it there, and both differences, of the maxima and of each score, are
// minus infinity less minus infinity: NaN. It never goes away, since NaN times
// anything is NaN, although the tiles that follow are in order.
//
// A causal mask does not show it. There the first tile has key 0, which every
// query sees. Padding on the left does, and so does a causal mask with its
// corner at the bottom right and more queries than keys.
//
// One line is enough: as long as nothing was seen, there is nothing to do. Once
// something was, the maximum is finite, and a hidden tile gets weights of
// exp(-infinity) = 0.
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
  if (std::isinf(now.highest) && now.highest < 0) return;
  const double rescale = std::exp(before - now.highest);
  const mha::RowVector<double> weights =
      (scores.array() - now.highest).exp();
  now.total = now.total * rescale + weights.sum();
  now.context = now.context * rescale + weights * values;
}
