// Solution 4.1: Eight heads that are not thinner
//
// Three projections of 8 x 16 and one of 16 x 8 hold 128 numbers each, 512
// together. Three biases of 16 and one of 8 add 56.
//
// More heads are free only while they share out one width. Here the width of
// all heads together doubled, and the matrices with it. The answer is not twice
// 288, since one bias did not grow: what comes out is still 8 wide.
#include "exercise/exercise.hpp"

const double my_answer = 4 * (8 * 16) + 3 * 16 + 8;
