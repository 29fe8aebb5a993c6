// Exercise 6.3: Right until it goes round
// kind: find the bug
// difficulty: 2
// section: a-window-is-a-ring
// check: distances are right when the ring has gone round
//
// A model lowers the score of a key by how far away it is. So before it reads
// its ring of slots it works out, slot by slot, how many tokens back the token
// in that slot is: 0 for the newest, and -1 for a slot that is still empty.
//
// The function below was right for every prompt its author tried. In long
// conversations the model loses the thread. Find the bug and repair it.
//
// hint: Try 3 slots and 4 tokens, on paper. Which positions are in slots 0, 1
//   and 2? How far back is each?
// hint: The newest is in slot 0 then, and the one before it in slot 2. What
//   does the code make of 0 - 2?
// hint: Slots count in a circle. When the difference falls below 0, the token
//   is from before the turn: add the number of slots. But only if that token
//   was fed at all, that is, if it is fewer back than `length`.
#include "exercise/exercise.hpp"

#include <vector>

// length: tokens fed so far; slots: size of the ring.
std::vector<mha::Index> tokens_back(mha::Index length, mha::Index slots) {
  std::vector<mha::Index> back;
  const mha::Index newest = (length - 1) % slots;
  for (mha::Index slot = 0; slot < slots; ++slot) {
    back.push_back(newest >= slot ? newest - slot : -1);
  }
  return back;
}
