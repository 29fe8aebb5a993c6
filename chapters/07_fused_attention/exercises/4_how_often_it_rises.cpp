// Exercise 7.4: How often it rises
// kind: prove or measure
// difficulty: 2
// section: one-key-at-a-time
// check: it is right for one key and for two
//
// Whenever a key raises the maximum, all that was added before has to be
// rescaled. If the scores come in random order and no two are equal, how many
// of n keys raise the maximum, on average? (The first one always does.)
//
// Write `average_rises`. You may prove a formula and write it down, or measure:
// draw scores and count. The checks allow 3%, for n from 1 to 100,000.
//
// hint: Measure first: for n = 10 the average is a little below 3.
// hint: Key j raises the maximum when it is the largest of the first j + 1
//   keys. How likely is that when the order is random?
// hint: Each of the first j + 1 keys is the largest with equal chance,
//   1 / (j + 1). Averages add up.
#include "exercise/exercise.hpp"

double average_rises(mha::Index n) { return 0; }
