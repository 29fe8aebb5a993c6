// Solution 4.5: The rank that softmax makes
//
// With x(i) = exp(q(i)), the exponentials of row i are the powers of x(i):
// 1, x(i), x(i)^2, and so on. That is a Vandermonde matrix, whose determinant
// is the product of x(j) - x(i) over all pairs i < j. The softmax then divides
// each row by its sum, and each division divides the determinant.
//
// The sums are positive, so the determinant is 0 only when two x are equal,
// that is, when two queries are equal. Then two rows of weights are the same.
// For queries that all differ the weights have full rank, although the scores
// have rank 1. The exponential bends the line of rows.
//
// The determinant may be very small, however. Rank counts directions that are
// not exactly zero and does not say that any of them can be used.
#include "exercise/exercise.hpp"

#include <cmath>

double determinant_of_weights(const mha::RowVector<double>& queries) {
  double determinant = 1;
  for (mha::Index i = 0; i < queries.size(); ++i) {
    const double x = std::exp(queries(i));
    double sum = 0, power = 1;
    for (mha::Index j = 0; j < queries.size(); ++j, power *= x) sum += power;
    determinant /= sum;
    for (mha::Index j = i + 1; j < queries.size(); ++j) {
      determinant *= std::exp(queries(j)) - x;
    }
  }
  return determinant;
}
