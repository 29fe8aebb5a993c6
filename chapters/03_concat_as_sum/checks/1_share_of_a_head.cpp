// Checks of exercise 3.1: The share of a head
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 0.25 within 0.006 | The size is right. Head 1 moves slot 0 the other
//   way than the output goes: what sign does that give?
// wrong: 0.354 within 0.006 | That is the length of what head 1 wrote, divided
//   by the length of the output. A length has no sign, and lengths do not add
//   up.
// wrong: 0.125 within 0.006 | That is the squared length of what it wrote, over
//   the squared length of the output. The share multiplies what it wrote with
//   the output, not with itself.
// wrong: -1.414 within 0.006 | That is how far it moves along the output. A
//   share also divides by how long the output is.
// wrong: -0.5 within 0.006 | That is its part of slot 0 alone. The output has a
//   second slot, and head 1 does nothing there.
// wrong: 0 | In C++, -8 / 32 divides whole numbers and gives 0. Write -8.0 /
//   32.
// wrong: other | Add up the three rows first. Then multiply head 1's row with
//   that sum, slot by slot.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

#include <cmath>

TEST_CASE("the predicted share is the one the program computes") {
  mha::expect_an_answer();
  const double right = mha::recorded_value("ch03.exercise_share");
  mha::expect(std::abs(my_answer - right) <= 0.001,
              fmt::format("{} is not the share of head 1.\n{}", my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
