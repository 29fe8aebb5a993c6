// Exercise 6.5: Better than the mean
// kind: prove or measure
// difficulty: 3
// section: from-many-heads-to-few
// check: no other matrix has a smaller error of the scores
//
// Some heads are to share one key projection. The mean of theirs is the matrix
// that is nearest to all of them. But nobody looks at the projection: what is
// used are scores, and in them every head's keys meet that head's queries.
//
// With tokens as rows of x, head h has scores x Q(h) K(h)^T x^T, where Q(h) and
// K(h) are its projections, (d_model, d_head) each. Replace every
// K(h) by one matrix K, and leave x out, as if all directions were equally
// likely. The error of the scores is then the sum over h of the squared norm of
// Q(h) (K - K(h))^T.
//
// Write `best_shared_key`: the K for which it is smallest. Say in a comment why
// yours is, and when the mean would be as good. `Eigen::LDLT` or
// `matrix.ldlt().solve(right)` solves equations with a symmetric matrix.
//
// As shipped, it returns the mean.
//
// hint: One column of K^T at a time, the error is a sum of squares |Q(h) (z -
//   z(h))|^2. Where is its derivative by z zero?
// hint: The sum over h of Q(h)^T Q(h) (z - z(h)) has to be 0. The matrices
//   M(h) = Q(h)^T Q(h) are d_head x d_head, symmetric and small.
// hint: So (sum of M(h)) K^T = sum of M(h) K(h)^T: solve for K^T.
#include "exercise/exercise.hpp"

#include <Eigen/Dense>

#include <vector>

// q and k: for each head of the group (d_model, d_head); returns
// (d_model, d_head).
mha::Matrix<double> best_shared_key(const std::vector<mha::Matrix<double>>& q,
                                    const std::vector<mha::Matrix<double>>& k) {
  mha::Matrix<double> sum = k[0];
  for (std::size_t h = 1; h < q.size(); ++h) sum += k[h];
  return sum / static_cast<double>(q.size());
}

// It is the smallest, because:
