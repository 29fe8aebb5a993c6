// Exercise 8.5: Blocks for one query
// kind: predict
// difficulty: 1
// section: shared-heads-and-one-query
// check: the predicted number of blocks is the one that was launched
// answer: ch08.exercise_blocks within 0
//
// Llama 3 8B has 32 query heads on 8 key/value heads. It writes the next word
// of one text of 1,000 tokens. The kernel that splits the keys gives a block
// 128 of them, for all the heads that share them. How many blocks of that
// kernel does one layer launch?
//
// hint: 1,000 is not a multiple of 128. How many pieces cover it?
// hint: 8 pieces, the last with 104 keys.
// hint: Each of the 8 key/value heads has its own keys, so its own pieces.
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
