// Exercise 1.3: The quiet readers
// kind: find the bug
// difficulty: 2
// section: hiding-keys
// check: each query shares out 1 among the keys it may see
//
// This attention takes a table that says which key each query may attend to.
// It compiles, runs and returns the right shape, and a key that is hidden has
// no say in the result. Or so its author believes. A model that was trained
// with it works a little worse than it should, and the more keys are hidden
// from a token, the fainter is what the token reads.
//
// Find what is wrong and repair it. Then ask whether your repair also holds
// when the hidden key is the one that fits best by far.
//
// hint: Give every value the number 1. What must every query read then,
//   whatever its weights are? What does this code return?
// hint: In which order do these three happen: the exponential, the sum over
//   the keys, the hiding?
// hint: Dividing by the new sum, after the hiding, makes the rows sum to 1
//   again. But if a hidden key's score is 1000 higher than the others, what is
//   left to divide?
// hint: Hidden keys must be left out of all three: the highest score, the
//   exponentials and their sum.
#include "exercise/exercise.hpp"

#include <cmath>
#include <limits>

// q: (T_q, d_head); k: (T_k, d_head); v: (T_k, d_v);
// attends: (T_q, T_k), true where a query may see a key; returns (T_q, d_v).
mha::Matrix<double> masked_attention(const mha::Matrix<double>& q,
                                     const mha::Matrix<double>& k,
                                     const mha::Matrix<double>& v,
                                     const mha::BoolMatrix& attends) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.cols()));
  const mha::Matrix<double> scores = scale * q * k.transpose();
  mha::Matrix<double> weights = mha::Matrix<double>::Zero(q.rows(), k.rows());
  for (mha::Index i = 0; i < q.rows(); ++i) {
    const double highest = scores.row(i).maxCoeff();
    double total = 0;
    for (mha::Index j = 0; j < k.rows(); ++j) {
      weights(i, j) = std::exp(scores(i, j) - highest);
      total += weights(i, j);
    }
    for (mha::Index j = 0; j < k.rows(); ++j) {
      weights(i, j) = attends(i, j) ? weights(i, j) / total : 0;
    }
  }
  return weights * v;
}
