// Exercise 8.1: Four columns
// kind: predict
// difficulty: 1
// section: what-a-warp-touches
// check: the predicted number of segments is the one that was counted
// answer: ch08.exercise_segments within 0
//
// A head is only 4 columns wide, and there is one key/value head: key $j$
// begins $4j$ numbers behind the first, which begins at a multiple of 32 bytes.
// The 32 lanes of a warp have keys 0 to 31, and all of them read column 2 of
// their key, a float of 4 bytes. How many segments of 32 bytes does this one
// request touch?
//
// hint: How many bytes lie between what one lane reads and what the next does?
// hint: 16 bytes. So how many lanes find their number in the same segment?
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
