// Solution 8.1: Four columns
//
// A key is 4 floats, 16 bytes, and two keys are a segment. Lanes 0 and 1 read
// from the first, 2 and 3 from the second: 16 segments, of which 8 bytes of 32
// are used. With 8 columns or more each lane has a segment of its own, and it
// stays at 32 however wide the head is.
#include "exercise/exercise.hpp"

const double my_answer = 32 * 4 * 4 / 32.0;
