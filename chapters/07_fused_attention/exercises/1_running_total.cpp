// Exercise 7.1: The running total
// kind: predict
// difficulty: 1
// section: one-key-at-a-time
// check: the predicted total is the one the program computes
// answer: ch07.exercise_total within 0.001
//
// A query meets three keys, one after the other. The exponentials of the three
// scores are 1, 4 and 2. After each key the method keeps the highest score so
// far, and the total of $e^{\text{score} - \text{highest}}$ over the keys so
// far. What is the total after the third key? (In the picture: three bottles
// that fit 1, 4 and 2. How many cups are in the jug at the end?)
//
// hint: After the first key the highest score is the first one, and the total
//   is 1.
// hint: The second key raises the maximum. What was 1 under the old maximum is
//   a quarter under the new one.
// hint: After the second key the total is 1.25. The third key does not raise
//   the maximum; its weight is 2 / 4.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
