// Checks of exercise 6.1: What is in slot 2
//
// What a wrong answer tells (docs/architecture.md):
//
// wrong: 17 | That token was there, one round ago. Another has come since.
// wrong: 27 | That one would be next, but only 24 tokens came.
// wrong: 23 | That is the newest token. Which slot did it go to?
// wrong: 3 | That is the slot of the newest token.
// wrong: 21 | With 24 tokens the newest is at position 23, not 24. Count on
//   from slot 0 again.
// wrong: 2 | That was the first token in this slot. The ring has gone round
//   since.
// wrong: other | Write down the positions that leave 2 when divided by 5.
#include "exercise/exercise.hpp"
#include "exercise/likely_thought.hpp"

#include <doctest/doctest.h>

TEST_CASE("the predicted token is the one that is there") {
  mha::expect_an_answer();
  mha::expect(my_answer == mha::recorded_value("ch06.slot_two"),
              fmt::format("{} is not the position of the token in slot 2.\n{}",
                          my_answer,
                          mha::likely_thought(my_answer, __FILE__)));
}
