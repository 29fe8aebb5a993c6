// Exercise 9.1: The cheapest cut
// kind: predict
// difficulty: 1
// section: pieces-not-words
// check: the predicted score is that of the best cut
// answer: ch09.exercise_cut within 0.001
//
// A tokenizer knows four pieces and their log-probabilities (a price with a
// minus before it):
//
// | piece | log-probability |
// |---|---|
// | a | -2 |
// | b | -3 |
// | ab | -4.5 |
// | ba | -1 |
//
// It cuts the text "abab" so that the sum is highest. What is that sum? Write
// the number in place of `mha::unanswered`. No model is needed for this.
//
// hint: Write down the ways to cut: ab|ab, a|b|a|b, a|b|ab and so on. Which
//   one has a piece in the middle?
// hint: "ba" is by far the likeliest piece. What is left over around it?
// hint: a, ba and b: add up their three numbers.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
