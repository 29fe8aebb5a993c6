#include "exercise/exercise.hpp"

#include "mha/strided.hpp"

#include <doctest/doctest.h>

namespace {

const char* likely_thought() {
  const auto x = mha::arange<int>(24).view({2, 3, 4});
  if (my_answer == 10) {
    return "That is what stands there without the permutation. Memory stays "
           "as it is, but it is read in another order.";
  }
  if (my_answer == x.permute({1, 2, 0}).reshape({-1}).tensor(10)) {
    return "That is the opposite permutation: {1, 2, 0} brings dimension 1 to "
           "the front, {2, 0, 1} brings dimension 2.";
  }
  if (my_answer == x.transpose(0, 2).reshape({-1}).tensor(10)) {
    return "That is transpose(0, 2), which exchanges two dimensions. Here all "
           "three move.";
  }
  if (my_answer >= 24) return "There are only the numbers 0 to 23.";
  return "Write down shape and strides after the permutation. Then find the "
         "index (i, j, k) at place 10, the last one counting fastest.";
}

}  // namespace

TEST_CASE("the predicted number is what the program reads") {
  mha::expect_an_answer();
  mha::expect(my_answer == mha::recorded_value("ch05.flattened_number"),
              fmt::format("{} is not what is read at place 10.\n{}", my_answer,
                          likely_thought()));
}
