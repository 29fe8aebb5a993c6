// Exercise 1.5: What two heads do not see
// kind: prove or measure
// difficulty: 3
// section: where-one-search-fails
// check: every head reads the same from other values
//
// One head cannot tell certain pairs of sources apart. Two heads can. Now give
// the two heads three sources.
//
// Each row of `weights` holds one head's weights over the sources: it reads the
// sum of the rows of `values`, each times its weight. All heads read the same
// values. Write `other_values`: return different values from which every head
// reads what it read before. Let the change be plain to see: at least one
// number moves by 0.1 or more, and none by more than 100.
//
// Do it for any number of heads and sources. If no such values exist, return
// the values as they are. When is that so? Write your answer as a comment, then
// see whether the last two checks agree with it.
//
// hint: Call what you add to the values D, one row a source. What must
//   `weights * D` be, so that no head notices?
// hint: One column of D is enough, and the others may be zero. That column must
//   be at right angles to the weights of every head. For two heads and three
//   sources the cross product of the two rows of weights is such a column:
//   `a.cross(b)`, each row copied to an `Eigen::Vector3d`. (What is it when
//   both heads have the same weights?)
// hint: In general it lies in the kernel of `weights`. Eigen finds it:
//   `Eigen::FullPivLU<Eigen::MatrixXd>(weights).kernel()` has a basis of the
//   kernel in its columns, or one column of zeros if there is nothing else.
// hint: Divide the column by its largest absolute entry, and it moves some
//   number by exactly 1. Do not divide zeros by 0.
#include "exercise/exercise.hpp"

#include <Eigen/Dense>

// weights: (heads, sources); values: (sources, d_v); returns (sources, d_v).
mha::Matrix<double> other_values(const mha::Matrix<double>& weights,
                                 const mha::Matrix<double>& values) {
  return values;
}
