// Checks of exercise 8.5: Blocks for one query
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 256 | That has a block for each query head. The four that share keys
//   share a block.
// wrong: 56 | That rounds 1,000 / 128 down. The last 104 keys need a block too.
// wrong: 8 | That is the number without a split, or the pieces of one head.
// wrong: 62.5 | A block is whole, even if its last keys are missing.
// wrong: 96 | That counts the kernel that merges the parts, too.
// wrong: 32 | That is the number of query heads.
// wrong: other | Pieces of the keys, times the heads that have keys of their own.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

TEST_CASE("the predicted number of blocks is the one that was launched") {
  mha::expect_an_answer();
  const double right = mha::recorded_value("ch08.exercise_blocks");
  mha::expect(my_answer == right,
              fmt::format("{} is not the number of blocks.\n{}", my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
