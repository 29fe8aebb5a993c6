// Checks of exercise 9.1: The cheapest cut
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: -9 | That is the longest piece first, ab and ab again. Being long is
//   no merit here; only the sum counts.
// wrong: -10 | That is a|b|a|b, every letter by itself. Longer pieces can be
//   likelier.
// wrong: -9.5 | That is one ab and two letters. Is there a cut through the
//   middle of both?
// wrong: -1 | That is "ba" alone. The letters around it need pieces, too.
// wrong: 6 | The sum is below zero: these are logarithms of probabilities.
// wrong: other | Write down every way to cut "abab", and the sum of each.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

#include <cmath>

TEST_CASE("the predicted score is that of the best cut") {
  mha::expect_an_answer();
  mha::expect(std::abs(my_answer - mha::recorded_value("ch09.exercise_cut")) <=
                  0.001,
              fmt::format("{} is not the highest sum.\n{}", my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
