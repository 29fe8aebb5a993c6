// Solution 1.3: The quiet readers
//
// The mask came after the softmax. The hidden keys' weights were set to 0, but
// they had already been counted in the sum, so what was taken from them was
// given to nobody. A query that may see one key in five read about a fifth of
// it.
//
// Hidden keys now stay out of all three steps: the highest score, the
// exponentials, and the sum. Dividing by the sum of the visible weights
// afterwards would be equal in exact arithmetic. In floating point it fails
// when a hidden key has by far the highest score: it sets the scale, the
// visible exponentials underflow to 0, and 0 is divided by 0.
//
// A query that may see nothing has a sum of 0, and its row is left at zero.
#include "exercise/exercise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

mha::Matrix<double> masked_attention(const mha::Matrix<double>& q,
                                     const mha::Matrix<double>& k,
                                     const mha::Matrix<double>& v,
                                     const mha::BoolMatrix& attends) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.cols()));
  const mha::Matrix<double> scores = scale * q * k.transpose();
  mha::Matrix<double> weights = mha::Matrix<double>::Zero(q.rows(), k.rows());
  for (mha::Index i = 0; i < q.rows(); ++i) {
    double highest = -std::numeric_limits<double>::infinity();
    for (mha::Index j = 0; j < k.rows(); ++j) {
      if (attends(i, j)) highest = std::max(highest, scores(i, j));
    }
    double total = 0;
    for (mha::Index j = 0; j < k.rows(); ++j) {
      if (attends(i, j)) weights(i, j) = std::exp(scores(i, j) - highest);
      total += weights(i, j);
    }
    if (total > 0) weights.row(i) /= total;
  }
  return weights * v;
}
