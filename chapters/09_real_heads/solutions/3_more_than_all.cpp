// Solution 9.3: More than all of it
//
// Adding is right for columns. What a word gets is what its pieces get, and a
// word in three pieces has three chances. For rows it is wrong: every piece has
// a whole share to give, so a word of three pieces gave away three, and counted
// three times in every average over words. Words in many pieces are names and
// rare words, so the bug looks like a discovery about names.
//
// Sums of rows would have shown it at once. A check that costs a line, and that
// every map of weights has to pass.
#include "exercise/exercise.hpp"

#include <vector>

mha::Matrix<double> word_map(const mha::Matrix<double>& weights,
                             const std::vector<mha::Index>& word_of) {
  const mha::Index words = word_of.empty() ? 0 : word_of.back() + 1;
  mha::Matrix<double> map = mha::Matrix<double>::Zero(words, words);
  mha::RowVector<double> pieces = mha::RowVector<double>::Zero(words);
  for (std::size_t i = 0; i < word_of.size(); ++i) {
    pieces(word_of[i]) += 1;
    for (std::size_t j = 0; j < word_of.size(); ++j) {
      map(word_of[i], word_of[j]) += weights(static_cast<mha::Index>(i),
                                             static_cast<mha::Index>(j));
    }
  }
  for (mha::Index w = 0; w < words; ++w) map.row(w) /= pieces(w);
  return map;
}
