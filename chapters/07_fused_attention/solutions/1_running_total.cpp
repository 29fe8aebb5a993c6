// Solution 7.1: The running total
//
// First key: the maximum is its score, the total 1. Second key: the maximum
// rises, so what is there already shrinks to 1/4, and the key itself counts 1:
// 1.25. Third key: the maximum stays, the key counts 2/4, and the total is
// 1.75.
//
// It is the sum of the exponentials, 7, over the largest of them, 4, and would
// be so in any order of the keys.
#include "exercise/exercise.hpp"

const double my_answer = 1.0 / 4 + 1 + 2.0 / 4;
