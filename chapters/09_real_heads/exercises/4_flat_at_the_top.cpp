// Exercise 9.4: Importance that does not vanish
// kind: prove or measure
// difficulty: 3
// section: taking-heads-out
// check: importance is how fast the embedding turns
//
// A small model: head h writes a row c(h), and its embedding is the sum of what
// the heads write, each times its gate, divided by its length. The loss is 1
// less the product with the embedding where all gates are 1.
//
// The importance below is the derivative of that loss by a gate, at gates of 1.
// It comes out as nothing for every head. Say in a comment why it must, and
// write an importance that does not vanish: the length of the derivative of the
// embedding by the gate, by differences to either side. It has to be right to
// four digits. No model is needed for this.
//
// hint: The loss cannot be negative. What is it where all gates are 1? What is
//   the derivative of a function at its smallest value?
// hint: Compute the embedding with the gate at 1 + step and at 1 - step, and
//   look at the difference of the two rows, not of their losses.
// hint: (up - down).norm() / (2 * step), with a step of a thousandth.
#include "exercise/exercise.hpp"

#include <vector>

// written: a row for each head; gates: a factor for each. Returns a row.
mha::RowVector<double> embedding(const mha::Matrix<double>& written,
                                 const mha::RowVector<double>& gates) {
  const mha::RowVector<double> sum = gates * written;
  return sum / sum.norm();
}

double importance(const mha::Matrix<double>& written, mha::Index head) {
  const double step = 1e-3;
  mha::RowVector<double> gates = mha::RowVector<double>::Ones(written.rows());
  const mha::RowVector<double> whole = embedding(written, gates);
  gates(head) = 1 + step;
  const double up = 1 - whole.dot(embedding(written, gates));
  gates(head) = 1 - step;
  const double down = 1 - whole.dot(embedding(written, gates));
  return (up - down) / (2 * step);
}

// The derivative of the loss is nothing, because:
