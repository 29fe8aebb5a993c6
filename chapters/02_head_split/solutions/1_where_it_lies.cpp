// Solution 2.1: Where a piece goes
//
// One head holds 6 tokens of 2 floats, 12 in all. Three such heads lie before
// head 3: 36 floats. Inside head 3 the tokens follow each other, and two of
// them, of 2 floats each, lie before token 2: 4 more.
//
// The two layouts differ in what a step costs. Tokens first, the next token is
// 8 floats on and the next head 2; heads first, the next token is 2 floats on
// and the next head 12. Code that reads one layout with the other's steps stays
// inside the memory and finds floats everywhere. They belong to somebody else.
#include "exercise/exercise.hpp"

const double my_answer = (3 * 6 + 2) * 2;
