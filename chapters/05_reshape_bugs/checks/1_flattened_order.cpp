// Checks of exercise 5.1: Which number is read there
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 10 | That is what stands there without the permutation. Memory stays
//   as it is, but it is read in another order.
// wrong: 5 | That is the opposite permutation: {1, 2, 0} brings dimension 1 to
//   the front, {2, 0, 1} brings dimension 2.
// wrong: 9 | That is transpose(0, 2), which exchanges two dimensions. Here all
//   three move.
// wrong: from 24 | There are only the numbers 0 to 23.
// wrong: other | Write down shape and strides after the permutation. Then find
//   the index (i, j, k) at place 10, the last one counting fastest.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

TEST_CASE("the predicted number is what the program reads") {
  mha::expect_an_answer();
  mha::expect(my_answer == mha::recorded_value("ch05.flattened_number"),
              fmt::format("{} is not what is read at place 10.\n{}", my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
