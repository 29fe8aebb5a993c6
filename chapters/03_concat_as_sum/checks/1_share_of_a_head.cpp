#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 0.006; }

// What the reader may have had in mind.
const char* likely_thought(double right) {
  if (near(my_answer, -right)) {
    return "The size is right. Head 1 moves slot 0 the other way than the "
           "output goes: what sign does that give?";
  }
  if (near(my_answer, 2 / std::sqrt(32.0))) {
    return "That is the length of what head 1 wrote, divided by the length of "
           "the output. A length has no sign, and lengths do not add up.";
  }
  if (near(my_answer, 4 / 32.0)) {
    return "That is the squared length of what it wrote, over the squared "
           "length of the output. The share multiplies what it wrote with the "
           "output, not with itself.";
  }
  if (near(my_answer, right * std::sqrt(32.0))) {
    return "That is how far it moves along the output. A share also divides "
           "by how long the output is.";
  }
  if (near(my_answer, -0.5)) {
    return "That is its part of slot 0 alone. The output has a second slot, "
           "and head 1 does nothing there.";
  }
  if (my_answer == 0) {
    return "In C++, -8 / 32 divides whole numbers and gives 0. Write "
           "-8.0 / 32.";
  }
  return "Add up the three rows first. Then multiply head 1's row with that "
         "sum, slot by slot.";
}

}  // namespace

TEST_CASE("the predicted share is the one the program computes") {
  mha::expect_an_answer();
  const double right = mha::recorded_value("ch03.exercise_share");
  mha::expect(std::abs(my_answer - right) <= 0.001,
              fmt::format("{} is not the share of head 1.\n{}", my_answer,
                          likely_thought(right)));
}
