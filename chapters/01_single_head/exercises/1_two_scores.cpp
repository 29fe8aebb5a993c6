// Exercise 1.1: Two scores, and a hidden third
// kind: predict
// difficulty: 1
// section: hiding-keys
// check: the predicted weight is the one the program computes
// answer: ch01.weight_beside_hidden within 0.005
//
// A query has three keys with the scores 999, 1000 and 1001. The third key is
// hidden. What weight does the second key get, the one with score 1000?
//
// Guess first, then work it out: one number decides it, and a pocket
// calculator is enough. Write your answer in place of `mha::unanswered`, right
// to two decimals.
//
// hint: Hidden means hidden before anything is shared out. Strike out the
//   third key, and two keys are left to share 1.
// hint: Adding the same number to every score changes no weight. Add -999 to
//   both.
// hint: The scores are now 0 and 1. Their exponentials are 1 and e, about
//   2.718. What share of the sum is e?
#include "exercise/exercise.hpp"

const double my_answer = mha::unanswered;
