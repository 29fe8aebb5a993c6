// Exercise 1.2: A softmax that survives
// kind: implement
// difficulty: 2
// section: one-search
// check: a row of scores becomes shares of 1
//
// Write `softmax_row`: it gets one row of scores and returns the row of
// weights, as long as the row it got. A hidden key has the score minus
// infinity. Your function must hold in the places where the formula does not:
//
// - Scores of ten thousand, or of minus ten thousand, give ordinary weights.
// - A hidden key gets exactly 0, not nearly 0.
// - A row in which every key is hidden gives zeros.
// - If a score is NaN, every weight that is not of a hidden key is NaN. The
//   fault must not be swept away: somebody has to be able to find it.
//
// hint: Take the highest score off every score before you exponentiate. Which
//   two of the four points does that settle, and which does it spoil?
// hint: If every key is hidden, the highest score is minus infinity, and minus
//   infinity less minus infinity is NaN. Deal with that row first, and with a
//   test that a NaN among the scores does not pass.
// hint: A comparison with NaN is false, so `if (score > highest)` passes over
//   a NaN. That does no harm here: its exponential is NaN, and so is the sum.
// hint: `std::exp` of minus infinity is exactly 0. Eigen's `.array().exp()` is
//   faster, but stops at the smallest number it can represent. Use a loop.
#include "exercise/exercise.hpp"

mha::RowVector<double> softmax_row(const mha::RowVector<double>& scores) {
  return mha::RowVector<double>::Zero(scores.size());
}
