// Checks of exercise 2.1: Where a piece goes
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: ch02.piece_tokens_first | That is where the piece began before the
//   copy.
// wrong: 20 | That many pieces lie before this one. Each is 2 floats long.
// wrong: 28 | A head holds a piece of every token, 6 of them; 4 is the number
//   of heads.
// wrong: 30 | Head and token are swapped: the piece is of head 3, token 2.
// wrong: 36 | That is where token 0 of head 3 begins.
// wrong: from 48 | There are only 48 floats, numbers 0 to 47.
// wrong: other | Count what lies before it in the copy: three whole heads, then
//   two tokens of head 3.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

TEST_CASE("the predicted place is where the program puts it") {
  mha::expect_an_answer();
  mha::expect(my_answer == mha::recorded_value("ch02.piece_heads_first"),
              fmt::format("float {} is not where the piece begins.\n{}",
                          my_answer, mha::likely_thought(my_answer, __FILE__)));
}
