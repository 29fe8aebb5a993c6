// Solution 6.5: Better than the mean
//
// With Z = K^T the error is a sum of squares, the sum over h of
// |Q(h) (Z - Z(h))|^2. It is convex in Z, so it is smallest where its
// derivative is zero: the sum of M(h) (Z - Z(h)) is 0, with M(h) = Q(h)^T Q(h).
// That is one equation with the d_head x d_head matrix sum of M(h).
//
// So K is a mean after all, but one in which a head counts by how strongly its
// queries ask in each direction. If all M(h) are equal it is the plain mean;
// M(h) stays the same when a head's queries are turned, so the projections
// themselves need not be equal.
//
// Real tokens do not have all directions alike. With the covariance C of the
// tokens the same works, with M(h) = Q(h)^T C Q(h); the other C drops out.
#include "exercise/exercise.hpp"

#include <Eigen/Dense>

#include <vector>

mha::Matrix<double> best_shared_key(const std::vector<mha::Matrix<double>>& q,
                                    const std::vector<mha::Matrix<double>>& k) {
  const mha::Index d_head = k[0].cols(), d_model = k[0].rows();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(d_head, d_head);
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(d_head, d_model);
  for (std::size_t h = 0; h < q.size(); ++h) {
    const Eigen::MatrixXd m = q[h].transpose() * q[h];
    all += m;
    right += m * k[h].transpose();
  }
  return all.ldlt().solve(right).transpose();
}
