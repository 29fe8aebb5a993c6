// Solution 3.4: The same head, other numbers
//
// With w_v = q r the product is q (r w_o): the factor r moves to the other
// side. It is the matrix m of the first hint, m being the inverse of r.
//
// How many numbers? Moving the factors by small amounts a and b moves the
// product by a w_o + w_v b. That is nothing exactly when a w_o = -w_v b. Both
// factors have full rank, so the columns of a must lie in the span of w_v: a =
// w_v c, with some square c of d_v rows, and then b = -c w_o. So the useless
// directions are the choices of c, d_v times d_v of them, and 2 d_model d_v -
// d_v^2 are left. These are the dimensions of the set of matrices of rank d_v.
//
// When d_v is d_model, one head of full width, d_model^2 are left: the product
// can be any matrix, and half of what is stored says nothing.
#include "exercise/exercise.hpp"

#include <Eigen/Dense>

struct Factors {
  mha::Matrix<double> w_v;  // (d_model, d_v), with d_v not above d_model
  mha::Matrix<double> w_o;  // (d_v, d_model)
};

Factors tidy(const Factors& head) {
  const mha::Index d_model = head.w_v.rows(), d_v = head.w_v.cols();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(head.w_v);
  const mha::Matrix<double> q =
      qr.householderQ() * Eigen::MatrixXd::Identity(d_model, d_v);
  const mha::Matrix<double> r = q.transpose() * head.w_v;
  return {q, r * head.w_o};
}

mha::Index numbers_needed(mha::Index d_model, mha::Index d_v) {
  return 2 * d_model * d_v - d_v * d_v;
}
