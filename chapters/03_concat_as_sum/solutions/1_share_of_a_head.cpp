// Solution 3.1: The share of a head
//
// The output is (5 - 2 + 1, 1 + 0 + 3) = (4, 4), of squared length 32. Head 1
// wrote (-2, 0). Slot by slot, times the output: -8. Divided by 32: -0.25.
//
// So the share is below nothing. Head 1 works against what the heads write
// together, and without it the output would be longer that way. The others
// have 24/32 and 16/32, and the three add up to 1. The lengths of what they
// wrote do not add up to anything in particular: 5.1, 2 and 3.2, where the
// output has 5.7.
#include "exercise/exercise.hpp"

const double my_answer = (-2.0 * 4 + 0 * 4) / (4 * 4 + 4 * 4);
