// Chapter 9: cutting a text into the pieces that a model knows.
#pragma once

#include "mha/matrix.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trained {

// [vocabulary]
using mha::Index;

struct Piece {
  std::string text;
  double log_probability = 0;
};

// The pieces by number, and by text. The first few are no text: unknown, begin,
// end and the like.
class Vocabulary {
 public:
  Vocabulary(std::vector<Piece> pieces, Index reserved);
  Vocabulary(const Vocabulary&) = delete;  // ids_ looks into pieces_
  Vocabulary(Vocabulary&&) = default;

  Index size() const { return std::ssize(pieces_); }
  const std::string& text(Index id) const;
  // The number of a piece that may stand in a text, or -1.
  Index find(std::string_view text) const;
  double log_probability(Index id) const;
  Index longest() const { return longest_; }  // in bytes

 private:
  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, Index> ids_;  // of pieces_
  Index longest_ = 0;
};

// Reads vocab.json: [["piece", log-probability], ...].
Vocabulary read_vocabulary(std::string_view json);
// [vocabulary]

// [tokenize]
// The numbers of the pieces of a text: of all ways to cut it, the one whose
// log-probabilities add up highest. What is in no piece is number 0.
std::vector<Index> tokenize(const Vocabulary& vocabulary,
                            std::string_view text);
// [tokenize]

}  // namespace trained
