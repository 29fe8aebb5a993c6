// Exercise 2.5: Behind the average
// kind: prove or measure
// difficulty: 3
// section: what-the-average-hides
// check: head 0 gives the favourite as little as it can
//
// Somebody shows you the average of a layer's maps and says: look, this token
// attends to that one. What can you conclude about a single head?
//
// The exercise as shipped explains the average in the dullest way: every head
// has the average for its map. Write `heads_behind` so that it returns another
// explanation, `n_heads` maps (2 or more) whose mean is `average`. Every row of
// every map must hold weights: none negative, with sum 1.
//
// The maps must tell another story as well. In every row, head 0 gives the
// average's favourite (its largest entry, the first one if several are equal)
// as little weight as it possibly can. Often that is 0. When is it not?
//
// hint: Each row stands alone. Write a for the row of the average, f for the
//   favourite and H for the number of heads. All heads together must give H
//   a(f) to the favourite, and no head can give more than 1.
// hint: The other H - 1 heads can take H - 1 of it at most. So head 0 can give
//   0 as long as H a(f) is not above H - 1, and must give the rest otherwise.
// hint: First case. Let head 0 share out its 1 among the other keys in the
//   proportions of a, and let the other heads be equal: each gets the
//   (H - 1)th part of what is left, H a less the row of head 0. Why is none of
//   it negative?
// hint: Second case. The other heads give everything to the favourite, and head
//   0 gets what is left: H a, less H - 1 at the favourite.
#include "exercise/exercise.hpp"

#include <vector>

// average: (T_q, T_k); returns n_heads maps of that shape.
std::vector<mha::Matrix<double>> heads_behind(
    const mha::Matrix<double>& average, mha::Index n_heads) {
  return std::vector<mha::Matrix<double>>(static_cast<std::size_t>(n_heads),
                                          average);
}
