// Exercise 4.1: Eight heads that are not thinner
// kind: predict
// difficulty: 1
// section: counting-the-tensors
// check: the predicted count is what the tensors hold
// answer: ch04.wider_layer within 0
//
// A layer of width 8 has 4 heads of 2 columns: 288 parameters, biases included.
// Its owner wants 8 heads, and does not want them thinner. So the heads keep
// their 2 columns, and tokens keep their width of 8.
//
// How many parameters has the layer now, with the biases of all four
// projections? Write the number in place of `mha::unanswered`.
//
// hint: All heads together are 8 x 2 = 16 columns wide. Write down the shape of
//   each of the four matrices. Which of their sides are still 8?
// hint: `w_q`, `w_k` and `w_v` are 8 x 16, and `w_o` is 16 x 8.
// hint: A bias has one number for each column its projection makes: 16 three
//   times, and once 8.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
