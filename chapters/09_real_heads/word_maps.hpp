// Chapter 9: from maps of pieces to maps of words.
#pragma once

#include "pieces.hpp"

namespace trained {

// [words]
struct Word {
  std::string text;
  Index first = 0, count = 0;  // its pieces
};

// A piece that begins with a space begins a word.
std::vector<Word> words_of(const Vocabulary& vocabulary,
                           const std::vector<Index>& ids);

// (T, T) of pieces to (words, words): what all pieces of a word get, as its
// pieces look on average. A row still sums to 1.
mha::Matrix<double> word_map(const mha::Matrix<float>& weights,
                             const std::vector<Word>& words);
// [words]

}  // namespace trained
