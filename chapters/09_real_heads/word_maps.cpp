#include "word_maps.hpp"

namespace trained {

// [words of]
std::vector<Word> words_of(const Vocabulary& vocabulary,
                           const std::vector<Index>& ids) {
  constexpr std::string_view space = "\u2581";
  std::vector<Word> words;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string_view piece = vocabulary.text(ids[i]);
    if (words.empty() || piece.starts_with(space)) {
      words.push_back({"", static_cast<Index>(i), 0});
      if (piece.starts_with(space)) piece.remove_prefix(space.size());
    }
    words.back().text += piece;
    ++words.back().count;
  }
  return words;
}
// [words of]

// [word map]
mha::Matrix<double> word_map(const mha::Matrix<float>& weights,
                             const std::vector<Word>& words) {
  const Index n = std::ssize(words);
  mha::Matrix<double> map(n, n);
  for (Index i = 0; i < n; ++i) {
    const Word& from = words[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) {
      const Word& to = words[static_cast<std::size_t>(j)];
      map(i, j) = weights.block(from.first, to.first, from.count, to.count)
                      .cast<double>().sum() /
                  static_cast<double>(from.count);
    }
  }
  return map;
}
// [word map]

}  // namespace trained
