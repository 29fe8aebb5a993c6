#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

namespace {

// What the reader may have had in mind: 6 tokens, 4 heads, 2 floats a head.
const char* likely_thought(double before_the_copy) {
  if (my_answer == before_the_copy) {
    return "That is where the piece began before the copy.";
  }
  if (my_answer == 3 * 6 + 2) {
    return "That many pieces lie before this one. Each is 2 floats long.";
  }
  if (my_answer == (3 * 4 + 2) * 2) {
    return "A head holds a piece of every token, 6 of them; 4 is the number of "
           "heads.";
  }
  if (my_answer == (2 * 6 + 3) * 2) {
    return "Head and token are swapped: the piece is of head 3, token 2.";
  }
  if (my_answer == 3 * 6 * 2) return "That is where token 0 of head 3 begins.";
  if (my_answer >= 48) return "There are only 48 floats, numbers 0 to 47.";
  return "Count what lies before it in the copy: three whole heads, then two "
         "tokens of head 3.";
}

}  // namespace

TEST_CASE("the predicted place is where the program puts it") {
  mha::expect_an_answer();
  const double before = mha::recorded_value("ch02.piece_tokens_first");
  mha::expect(my_answer == mha::recorded_value("ch02.piece_heads_first"),
              fmt::format("float {} is not where the piece begins.\n{}",
                          my_answer, likely_thought(before)));
}
