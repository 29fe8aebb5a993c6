// Exercise 9.2: A tokenizer that looks ahead
// kind: implement
// difficulty: 2
// section: pieces-not-words
// check: the best of all cuts is found
//
// Write `best_cut`: cut a text into pieces of a vocabulary so that their
// log-probabilities add up highest. Every letter of the text is a piece by
// itself, so there is always a way. Texts may be thousands of letters long:
// trying all cuts is out of the question, since every letter more doubles them.
//
// As shipped, it takes the longest piece first. No model is needed for this.
//
// hint: Say you knew the best sum for every beginning of the text that is
//   shorter than this one. Which pieces can be the last?
// hint: best[end] is the largest of best[begin] + log-probability of the piece
//   from begin to end. Keep the begin that gave it.
// hint: best[0] = 0, all others minus infinity; two loops, end and begin,
//   with begin no further back than the longest piece; then walk back from the
//   end by the begins, and reverse.
#include "exercise/exercise.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using Pieces = std::map<std::string, double>;  // with log-probabilities

std::vector<std::string> best_cut(const Pieces& pieces,
                                  const std::string& text) {
  std::vector<std::string> cut;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t length = std::min<std::size_t>(8, text.size() - begin);
    while (pieces.count(text.substr(begin, length)) == 0) --length;
    cut.push_back(text.substr(begin, length));
    begin += length;
  }
  return cut;
}
