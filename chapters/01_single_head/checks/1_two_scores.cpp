// Checks of exercise 1.1: Two scores, and a hidden third
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 0.269 within 0.006 | That is the weight of the first key. The second
//   has the higher score.
// wrong: 0.245 within 0.006 | That is its share among all three keys. The
//   hidden one is struck out before the sharing, so it takes nothing.
// wrong: 0.5 within 0.006 | 1000 and 999 look like equals, and 1000/1999 is
//   nearly a half. But softmax does not compare scores by their ratio: a score
//   that is 1 higher gets e times the weight, wherever the two lie.
// wrong: 0.975 within 0.025 | Large scores do not make a softmax choose; large
//   differences do. Here the difference is 1.
// wrong: to 0 | The two visible keys share out 1, and both get some: the weight
//   lies between 0 and 1.
// wrong: from 1.001 | The two visible keys share out 1, and both get some: the
//   weight lies between 0 and 1.
// wrong: other | Only the difference of the two visible scores counts.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

#include <cmath>

TEST_CASE("the predicted weight is the one the program computes") {
  mha::expect_an_answer();
  const double right = mha::recorded_value("ch01.weight_beside_hidden");
  mha::expect(std::abs(my_answer - right) <= 0.005,
              fmt::format("your answer {} is not what the program computes.\n"
                          "{}",
                          my_answer, mha::likely_thought(my_answer, __FILE__)));
}
