// Solution 1.1: Two scores, and a hidden third
//
// The hidden key takes no part: it is struck out before the sharing, not
// after. So two keys share 1, with scores 999 and 1000.
//
// Softmax divides e^1000 by e^999 + e^1000. Neither can be computed in floating
// point, and neither has to be: divide above and below by e^999, and what is
// left is e / (1 + e). Only the difference of the scores counts. That 1000 is
// 0.1 % more than 999 means nothing to a softmax; that it is 1 more means 2.718
// times the weight.
#include "exercise/exercise.hpp"

#include <cmath>

const double my_answer = std::exp(1.0) / (1 + std::exp(1.0));
