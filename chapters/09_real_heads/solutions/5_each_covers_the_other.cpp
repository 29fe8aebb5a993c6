// Solution 9.5: Each covers for the other
//
// Heads 0 and 1 say the same thing, ten times as loud as head 2 says another.
// Without one of them the sum still points almost where it did: the angle goes
// from 1 in 20 to 1 in 10. Without both only head 2 is left, and the embedding
// points at a right angle to where it was.
//
// One at a time, head 2 is the most important of the three, and heads 0 and 1
// the first to be pruned. Any ranking by single heads ends like this when two
// carry the same, and so does the derivative, which is the loss of taking a
// little out of one. Asking again after the first has gone would have shown it.
#include "exercise/exercise.hpp"

mha::Matrix<double> written_rows() {
  return mha::Matrix<double>{{10, 0, 0, 0}, {10, 0, 0, 0}, {0, 1, 0, 0}};
}
