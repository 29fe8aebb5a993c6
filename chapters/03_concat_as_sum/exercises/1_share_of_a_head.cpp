// Exercise 3.1: The share of a head
// kind: predict
// difficulty: 1
// section: taking-a-head-out
// check: the predicted share is the one the program computes
// answer: ch03.exercise_share within 0.001
//
// Three heads write about one token. The layer is 2 wide and has no bias.
//
// | | slot 0 | slot 1 |
// |---|---|---|
// | head 0 | 5 | 1 |
// | head 1 | -2 | 0 |
// | head 2 | 1 | 3 |
//
// What is the signed share of head 1? First guess: is it about a quarter,
// about nothing, or below nothing? Then work it out, and write the number in
// place of `mha::unanswered`.
//
// hint: The output is the sum of the three rows. How long is it, squared?
// hint: The share is the product of the head's row with the output, slot by
//   slot and added up, divided by that squared length.
// hint: The output is (4, 4), and 4 times 4 plus 4 times 4 is 32. In slot 0
//   head 1 adds -2 times 4; in slot 1 it adds nothing.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
