// Checks of exercise 7.1: The running total
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 7 | That is the total of the exponentials themselves. The method takes
//   the highest score off each score first.
// wrong: 2.5 | The first key still counts 1, as it did under the old maximum.
//   When the maximum rises, what was added before has to shrink.
// wrong: 3.5 | That takes the last score off, not the highest so far.
// wrong: 1.25 | That is the total after the second key.
// wrong: 0.5 | That is what the third key adds.
// wrong: other | Write down highest and total after each key. Only the second
//   key raises the maximum.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

#include <cmath>

TEST_CASE("the predicted total is the one the program computes") {
  mha::expect_an_answer();
  const double right = mha::recorded_value("ch07.exercise_total");
  mha::expect(std::abs(my_answer - right) <= 0.001,
              fmt::format("{} is not the total after the third key.\n{}",
                          my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
