// Exercise 6.1: What is in slot 2
// kind: predict
// difficulty: 1
// section: a-window-is-a-ring
// check: the predicted token is the one that is there
// answer: ch06.slot_two within 0
//
// A cache has a ring of 5 slots, numbered 0 to 4. It was empty, and has been
// given 24 tokens, whose positions are 0 to 23.
//
// Which position has the token in slot 2? Write the number in place of
// `mha::unanswered`.
//
// hint: The token at position 0 went to slot 0, the one at position 5 too.
//   Which positions went to slot 2?
// hint: 2, 7, 12, and so on: each wrote over the one before. Which was last?
// hint: The last position that there is is 23, not 24.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
