// Exercise 2.1: Where a piece goes
// kind: predict
// difficulty: 1
// section: splitting-without-a-copy
// check: the predicted place is where the program puts it
// answer: ch02.piece_heads_first within 0
//
// The reference layer has 6 tokens, 4 heads and 2 floats a head. After the
// projection token 2's piece of head 3 begins 22 floats from the start of q:
// two rows of 8, then three heads of 2.
//
// Now q is copied, from tokens first `(T, H, d_head)` to heads first
// `(H, T, d_head)`. How many floats from the start of the copy does the same
// piece begin? Write the number in place of `mha::unanswered`.
//
// hint: In the copy everything of head 0 comes first, then everything of head
//   1. How many floats does one head hold, for all 6 tokens?
// hint: Three whole heads lie before head 3. Inside head 3, two tokens lie
//   before token 2.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
