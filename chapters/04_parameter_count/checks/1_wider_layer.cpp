#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

namespace {

// What the reader may have had in mind.
const char* likely_thought() {
  if (my_answer == 288) {
    return "That is 8 heads that share out a width of 8, one column each. "
           "These keep two.";
  }
  if (my_answer == 2 * 288) {
    return "Nearly everything doubles. One bias does not: how wide is what the "
           "layer returns?";
  }
  if (my_answer == 4 * 16 * 16 + 4 * 16) {
    return "That is a layer for tokens of width 16. Here the tokens keep their "
           "8, so each matrix has one side of 8.";
  }
  if (my_answer == 512) return "Those are the matrices. Add the biases.";
  if (my_answer == 512 + 48) return "The fourth projection has a bias too.";
  if (my_answer == 512 + 64) {
    return "The fourth bias has as many numbers as a token is wide.";
  }
  return "Write down the shapes of w_q, w_k, w_v and w_o, and one bias for "
         "each; then add up.";
}

}  // namespace

TEST_CASE("the predicted count is what the tensors hold") {
  mha::expect_an_answer();
  mha::expect(my_answer == mha::recorded_value("ch04.wider_layer"),
              fmt::format("{} is not what the tensors hold.\n{}", my_answer,
                          likely_thought()));
}
