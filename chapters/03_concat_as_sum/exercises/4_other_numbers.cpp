// Exercise 3.4: The same head, other numbers
// kind: prove or measure
// difficulty: 3
// section: what-a-head-can-write
// check: the tidy factors make the same circuit
//
// What a head writes depends on its `w_v` and `w_o` only through their product
// `w_v * w_o`, and many pairs have one product. Pick a tidy pair: write `tidy`
// so that it returns factors with the same product in which the columns of
// `w_v` have length 1 and stand at right angles to each other.
//
// Then say how many numbers a head needs. `w_v` and `w_o` store 2 times
// `d_model` times `d_v` of them. Some are spent on the choice of a pair and say
// nothing about the head. Write `numbers_needed`: how many independent
// directions there are in which the product can be moved by changing the
// factors. Prove it, or measure it for small sizes (hint 4). The check measures.
//
// hint: If m has an inverse, the factors `w_v * m` and `m.inverse() * w_o` have
//   the same product. Which m makes the columns of `w_v` orthonormal?
// hint: A QR decomposition writes w_v as q times r, q with such columns and r
//   small and square. What has to become of r?
// hint: `Eigen::HouseholderQR<Eigen::MatrixXd> qr(w_v)`; then q is
//   `qr.householderQ() * Eigen::MatrixXd::Identity(d_model, d_v)`, r is
//   `q.transpose() * w_v`, and the new w_o is `r * w_o`.
// hint: To measure: move one entry of a factor by 1 and note how the product
//   changes, all its entries as one column. Do so for every entry of both
//   factors, and find the rank of all those columns. How much is missing to
//   `2 * d_model * d_v`, for `d_v` of 1, 2 and 3?
#include "exercise/exercise.hpp"

#include <Eigen/Dense>

struct Factors {
  mha::Matrix<double> w_v;  // (d_model, d_v), with d_v not above d_model
  mha::Matrix<double> w_o;  // (d_v, d_model)
};

Factors tidy(const Factors& head) { return head; }

mha::Index numbers_needed(mha::Index d_model, mha::Index d_v) {
  return 2 * d_model * d_v;
}
