// Exercise 5.1: Which number is read there
// kind: predict
// difficulty: 1
// section: what-a-reshape-does
// check: the predicted number is what the program reads
// answer: ch05.flattened_number within 0
//
// The numbers 0 to 23 lie in memory in order. They are seen as `(2, 3, 4)`, and
// then their dimensions are put into another order, without moving a number:
//
// ```cpp
// const auto x = mha::arange<int>(24).view({2, 3, 4}).permute({2, 0, 1});
// const auto flat = x.reshape({-1}).tensor;
// ```
//
// `permute({2, 0, 1})` makes dimension 2 the first, dimension 0 the second and
// dimension 1 the third. Which number is `flat(10)`? Write it in place of
// `mha::unanswered`.
//
// hint: Before the permutation the strides are (12, 4, 1). A permutation of
//   dimensions permutes shape and strides alike: what are they afterwards?
// hint: The shape is (4, 2, 3) and the strides are (1, 12, 4). Place 10 of the
//   flattened tensor is one index (i, j, k) of that shape, the last counting
//   fastest. One i is worth 6 places.
// hint: 10 = 1 * 6 + 1 * 3 + 1, so the index is (1, 1, 1). Now use the strides.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
