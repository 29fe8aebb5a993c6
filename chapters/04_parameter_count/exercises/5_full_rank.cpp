// Exercise 4.5: The rank that softmax makes
// kind: prove or measure
// difficulty: 3
// section: when-a-head-gets-too-thin
// check: it is the determinant of the weights
//
// A head with one slot has scores of rank 1: a column of queries times a row of
// keys. It is often said that its weights have rank 1 too. They do not.
//
// Let the keys of T tokens be 0, 1, 2, ..., T - 1, and the queries any numbers.
// Write `determinant_of_weights`: the determinant of the T x T table of
// weights, worked out from the queries alone. You need no matrix and no
// elimination, only products and sums.
//
// Then say in a comment for which queries it is 0, and why for no others.
//
// hint: Weight (i, j) is exp(q(i) j), divided by the sum of its row. Dividing
//   row i by a number divides the determinant by that number.
// hint: Call x(i) = exp(q(i)). Row i, not yet divided, is 1, x(i), x(i)^2, ...
//   A matrix of such rows has a name.
// hint: The determinant of a Vandermonde matrix is the product of x(j) - x(i)
//   over all pairs with i < j.
#include "exercise/exercise.hpp"

// queries: (1, T).
double determinant_of_weights(const mha::RowVector<double>& queries) {
  return 0;
}

// It is 0 when:
