// Solution 6.3: Right until it goes round
//
// Slots count in a circle, and the code took them for a line: whatever lay
// behind the newest slot it called empty. While the ring has not gone round
// that is so. Afterwards those slots hold the oldest tokens.
//
// A slot is empty when the token that would be in it has not come: when it is
// as many tokens back as there are, or more. Prompts shorter than the window
// never show the difference, so a test has to be longer than the window, by
// more than one.
#include "exercise/exercise.hpp"

#include <vector>

std::vector<mha::Index> tokens_back(mha::Index length, mha::Index slots) {
  std::vector<mha::Index> all;
  for (mha::Index slot = 0; slot < slots; ++slot) {
    const mha::Index back = (length - 1 - slot + slots) % slots;
    all.push_back(back < length ? back : -1);
  }
  return all;
}
