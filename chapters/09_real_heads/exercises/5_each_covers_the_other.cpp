// Exercise 9.5: Each covers for the other
// kind: implement
// difficulty: 2
// section: taking-heads-out
// check: two heads can go one at a time and not both
//
// Somebody takes heads out one at a time, finds two that nobody misses, and
// removes both. Build a model in which that is a disaster.
//
// The model is that of exercise 9.4: three heads write a row each, and the
// embedding is their sum divided by its length. Write the three rows, four
// numbers each, so that
//
// - without head 0 the loss, 1 less the cosine, is below 0.02, and without head
//   1 as well;
// - without both it is above 0.9;
// - without head 2 it is larger than without head 0 alone.
//
// No model is needed for this.
//
// hint: The third condition keeps head 2 from being nothing. The second says
//   that head 2 points elsewhere than the whole.
// hint: Let heads 0 and 1 say the same, and much louder than head 2. Without
//   one of them, in which direction does the sum point?
// hint: Heads 0 and 1 write (10, 0, 0, 0), and head 2 something short in
//   another slot. How short, for losses below 0.02 and above 0.9?
#include "exercise/exercise.hpp"

// A row for each of three heads: (3, 4).
mha::Matrix<double> written_rows() {
  return mha::Matrix<double>{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
}
