// Chapter 9: many texts read at once, and with heads turned down.
#pragma once

#include "encoder.hpp"

#include <array>
#include <map>


namespace trained {

// [gates]
// How much of what each head writes is let through: layer 0, then layer 1.
// 1 is the model as it is, 0 takes the head out.
inline constexpr Index n_heads = 4, n_all_heads = 8;
using Gates = std::array<float, n_all_heads>;

constexpr Gates all_open() { return {1, 1, 1, 1, 1, 1, 1, 1}; }

std::string head_name(Index head);  // "1.0" is head 0 of layer 1

// What comes in the place of a head that is taken out.
enum class InPlace {
  zero,  // nothing
  mean,  // what it writes on average, over all tokens of all texts
};
// [gates]

// [many texts]
class ManyTexts {
 public:
  ManyTexts(const Encoder<float>& encoder,
            std::vector<std::vector<Index>> texts);

  // (texts, d_model): a row of length 1 for each.
  Matrix<float> embeddings(const Gates& gates,
                           InPlace in_place = InPlace::zero) const;

  // What head `head` of the whole model looks at in a text: (T, T).
  const Matrix<float>& map(Index text, Index head) const {
    return maps_.at(static_cast<std::size_t>(text * n_all_heads + head));
  }

  // What attention adds to the stream of a layer: (tokens, d_model).
  Matrix<float> written(Index layer) const;

  Index size() const { return std::ssize(texts_); }

 private:
  // A layer before its heads are written: the stream, and the heads' concat.
  struct Half {
    Matrix<float> stream, heads;
  };

  Half begin_layer(Index layer, const Matrix<float>& x,
                   std::vector<Matrix<float>>* maps) const;
  Matrix<float> finish_layer(Index layer, const Half& half, const Gates& gates,
                             InPlace in_place) const;

  const Encoder<float>& encoder_;
  std::vector<std::vector<Index>> texts_;
  std::vector<Index> begins_;  // of each text in the stack, and the end
  Half first_;
  std::array<Matrix<float>, 2> heads_;  // of each layer, all gates open
  std::vector<Matrix<float>> maps_;
  std::array<RowVector<float>, 2> mean_heads_;
  // What layer 1 begins with, by the gates of layer 0.
  mutable std::map<std::array<float, 5>, Half> second_;
};
// [many texts]

}  // namespace trained
