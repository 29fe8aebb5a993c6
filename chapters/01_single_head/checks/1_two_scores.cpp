#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 0.006; }

// What the reader may have had in mind.
const char* likely_thought(double right) {
  const double with_hidden = right / (1 + std::exp(1.0) * right);
  if (near(my_answer, 1 - right)) {
    return "That is the weight of the first key. The second has the higher "
           "score.";
  }
  if (near(my_answer, with_hidden)) {
    return "That is its share among all three keys. The hidden one is struck "
           "out before the sharing, so it takes nothing.";
  }
  if (near(my_answer, 0.5)) {
    return "1000 and 999 look like equals, and 1000/1999 is nearly a half. But "
           "softmax does not compare scores by their ratio: a score that is 1 "
           "higher gets e times the weight, wherever the two lie.";
  }
  if (my_answer > 0.95 && my_answer <= 1) {
    return "Large scores do not make a softmax choose; large differences do. "
           "Here the difference is 1.";
  }
  if (my_answer < 0 || my_answer > 1) {
    return "A weight lies between 0 and 1: the keys share out 1.";
  }
  return "Only the difference of the two visible scores counts.";
}

}  // namespace

TEST_CASE("the predicted weight is the one the program computes") {
  mha::expect_an_answer();
  const double right = mha::recorded_value("ch01.weight_beside_hidden");
  mha::expect(std::abs(my_answer - right) <= 0.005,
              fmt::format("your answer {} is not what the program computes.\n"
                          "{}",
                          my_answer, likely_thought(right)));
}
