// Solution 5.1: Which number is read there
//
// Seen as (2, 3, 4), the numbers have strides 12, 4 and 1. The permutation
// brings both into the new order: the shape is (4, 2, 3), the strides are
// (1, 12, 4).
//
// Flattening reads index by index, the last one fastest. A step of the first
// index is worth 2 times 3 places, a step of the second 3. Place 10 is
// 6 + 3 + 1, the index (1, 1, 1). It lies 1 + 12 + 4 floats from the start, and
// since every number says where it lies, the number is 17.
//
// No view flattens this: reshape made a copy, in which the number 17 does lie
// at place 10. The answer 10 belongs to a reshape without the permutation, and
// 5 to the opposite one, permute({1, 2, 0}).
#include "exercise/exercise.hpp"

const double my_answer = 1 * 1 + 1 * 12 + 1 * 4;
