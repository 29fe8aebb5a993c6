// Checks of exercise 8.1: Four columns
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 32 | That would be a segment for each lane. Key 1 begins 16 bytes
//   behind key 0; a segment has 32.
// wrong: 4 | That is 32 numbers side by side. Here three numbers that nobody
//   wants lie between two that are wanted.
// wrong: 1 | That is what they touch when all lanes read the same number.
// wrong: 8 | Count again how many keys of 16 bytes fit into 32 bytes.
// wrong: 64 | A float of 4 bytes at a multiple of 4 never lies in two segments.
// wrong: other | Write down the first byte that lanes 0, 1, 2 and 3 read, and
//   divide each by 32.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

TEST_CASE("the predicted number of segments is the one that was counted") {
  mha::expect_an_answer();
  const double right = mha::recorded_value("ch08.exercise_segments");
  mha::expect(my_answer == right,
              fmt::format("{} is not the number of segments.\n{}", my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
