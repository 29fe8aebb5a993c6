// Checks of exercise 4.1: Eight heads that are not thinner
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 288 | That is 8 heads that share out a width of 8, one column each.
//   These keep two.
// wrong: 576 | Nearly everything doubles. One bias does not: how wide is what
//   the layer returns?
// wrong: 1088 | That is a layer for tokens of width 16. Here the tokens keep
//   their 8, so each matrix has one side of 8.
// wrong: 512 | Those are the matrices. Add the biases.
// wrong: 560 | The fourth projection has a bias too.
// wrong: other | Write down the shapes of w_q, w_k, w_v and w_o, and one bias
//   for each; then add up.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

TEST_CASE("the predicted count is what the tensors hold") {
  mha::expect_an_answer();
  mha::expect(my_answer == mha::recorded_value("ch04.wider_layer"),
              fmt::format("{} is not what the tensors hold.\n{}", my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
