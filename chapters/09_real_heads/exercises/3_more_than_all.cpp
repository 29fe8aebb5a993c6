// Exercise 9.3: More than all of it
// kind: find the bug
// difficulty: 2
// section: sixty-three-sentences
// check: a map of words has rows that sum to 1
//
// A map of pieces has to become a map of words. The function below was used in
// a study in which names got remarkably much attention *and gave* remarkably
// much. In English, names are what is cut into many pieces.
//
// Find the bug and repair it. What a word gets is the sum over its pieces; a
// row of the result is a share of 1, as every row of weights. No model is
// needed for this.
//
// hint: Take two pieces that are one word, and nothing else. What should the
//   map of that one word be? What comes out?
// hint: Columns and rows are not alike. A piece has one share of attention to
//   give, and a word of three pieces would have three.
// hint: Divide each row by the number of its word's pieces.
#include "exercise/exercise.hpp"

#include <vector>

// weights: (T, T), rows sum to 1; word_of: for each piece the number of its
// word, beginning with 0 and never falling. Returns (words, words).
mha::Matrix<double> word_map(const mha::Matrix<double>& weights,
                             const std::vector<mha::Index>& word_of) {
  const mha::Index words = word_of.empty() ? 0 : word_of.back() + 1;
  mha::Matrix<double> map = mha::Matrix<double>::Zero(words, words);
  for (std::size_t i = 0; i < word_of.size(); ++i) {
    for (std::size_t j = 0; j < word_of.size(); ++j) {
      map(word_of[i], word_of[j]) += weights(static_cast<mha::Index>(i),
                                             static_cast<mha::Index>(j));
    }
  }
  return map;
}
