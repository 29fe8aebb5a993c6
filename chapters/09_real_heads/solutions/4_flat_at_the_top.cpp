// Solution 9.4: Importance that does not vanish
//
// Both embeddings have length 1, so the loss is half the squared distance
// between them: never below zero, and zero where all gates are 1. A smooth
// function has derivative zero at its smallest value. So the first derivative
// says "nothing" about every head, the important ones included, and to second
// order the loss is half the squared length of the embedding's derivative times
// the square of how far the gate is closed.
//
// Which is what the other importance measures. It is blind in one direction
// too: a head that writes along the sum makes the embedding longer, not other,
// and the length is divided away.
#include "exercise/exercise.hpp"

#include <vector>

mha::RowVector<double> embedding(const mha::Matrix<double>& written,
                                 const mha::RowVector<double>& gates) {
  const mha::RowVector<double> sum = gates * written;
  return sum / sum.norm();
}

double importance(const mha::Matrix<double>& written, mha::Index head) {
  const double step = 1e-3;
  mha::RowVector<double> gates = mha::RowVector<double>::Ones(written.rows());
  gates(head) = 1 + step;
  const mha::RowVector<double> up = embedding(written, gates);
  gates(head) = 1 - step;
  return (up - embedding(written, gates)).norm() / (2 * step);
}
