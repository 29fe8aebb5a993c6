#include "many_texts.hpp"

#include "mha/product_kernel.hpp"

namespace trained {

// [head name]
std::string head_name(Index head) {
  return fmt::format("{}.{}", head / n_heads, head % n_heads);
}
// [head name]

namespace {

// [fast product]
// mha::project, for the hundreds of tokens of a stack.
Matrix<float> times(const Matrix<float>& x, const Matrix<float>& w,
                    const RowVector<float>& b) {
  mha::require(x.cols() == w.rows(), "x has {} columns, but w {} rows",
               x.cols(), w.rows());
  Matrix<float> y(x.rows(), w.cols());
  mha::multiply(x.data(), w.data(), x.rows(), x.cols(), w.cols(), y.data());
  y.rowwise() += b;
  return y;
}
// [fast product]

}  // namespace

// [stack]
ManyTexts::ManyTexts(const Encoder<float>& encoder,
                     std::vector<std::vector<Index>> texts)
    : encoder_(encoder), texts_(std::move(texts)), begins_{0} {
  mha::require(encoder.layers.size() == 2, "a stack needs 2 layers, not {}",
               encoder.layers.size());
  for (const auto& ids : texts_) {
    begins_.push_back(begins_.back() + std::ssize(ids));
  }
  Matrix<float> x(begins_.back(), encoder.embeddings.cols());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    x.middleRows(begins_[i], std::ssize(texts_[i])) =
        enter(encoder, texts_[i]);
  }
  std::array<std::vector<Matrix<float>>, 2> maps;
  first_ = begin_layer(0, x, &maps[0]);
  const Half second = begin_layer(
      1, finish_layer(0, first_, all_open(), InPlace::zero), &maps[1]);
  heads_ = {first_.heads, second.heads};
  mean_heads_ = {heads_[0].colwise().mean(), heads_[1].colwise().mean()};
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    for (const auto& layer : maps) {
      for (std::size_t h = 0; h < n_heads; ++h) {
        maps_.push_back(layer[i * n_heads + h]);
      }
    }
  }
}
// [stack]

// [half a layer]
ManyTexts::Half ManyTexts::begin_layer(Index layer, const Matrix<float>& x,
                                       std::vector<Matrix<float>>* maps) const {
  const EncoderLayer<float>& l =
      encoder_.layers[static_cast<std::size_t>(layer)];
  const mha::LayerWeights<float>& w = l.attention.weights();
  const Matrix<float> normed = normalised(x, l.before_attention);
  const Matrix<float> q = times(normed, w.w_q, w.b_q);
  const Matrix<float> k = times(normed, w.w_k, w.b_k);
  const Matrix<float> v = times(normed, w.w_v, w.b_v);
  const Index d_head = l.attention.d_head();
  Matrix<float> heads(q.rows(), q.cols());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const Index first = begins_[i], tokens = begins_[i + 1] - first;
    for (Index h = 0; h < n_heads; ++h) {
      const auto mine = [&](auto& all) {
        return mha::head_of(all, h, d_head).middleRows(first, tokens);
      };
      mha::AttentionResult<float> head =
          mha::attention(mine(q), mine(k), mine(v));
      mine(heads) = head.context;
      if (maps != nullptr) maps->push_back(std::move(head.weights));
    }
  }
  return {l.w_wide.size() == 0 ? x : times(x, l.w_wide, l.b_wide),
          std::move(heads)};
}
// [half a layer]

// [gated]
Matrix<float> ManyTexts::finish_layer(Index layer, const Half& half,
                                      const Gates& gates,
                                      InPlace in_place) const {
  const auto l = static_cast<std::size_t>(layer);
  const EncoderLayer<float>& weights = encoder_.layers[l];
  const Index d_head = weights.attention.d_head();
  Matrix<float> heads = half.heads;
  for (Index h = 0; h < n_heads; ++h) {
    const float gate = gates[static_cast<std::size_t>(layer * n_heads + h)];
    auto head = mha::head_of(heads, h, d_head);
    head *= gate;
    if (in_place == InPlace::mean) {
      head.rowwise() += (1 - gate) * mha::head_of(mean_heads_[l], h, d_head);
    }
  }
  const mha::LayerWeights<float>& w = weights.attention.weights();
  const Matrix<float> between = half.stream + times(heads, w.w_o, w.b_o);
  const Matrix<float> wide =
      times(normalised(between, weights.before_inner), weights.w_in,
            weights.b_in).cwiseMax(0.0F);
  return between + times(wide, weights.w_out, weights.b_out);
}
// [gated]

// [written]
Matrix<float> ManyTexts::written(Index layer) const {
  const auto l = static_cast<std::size_t>(layer);
  const mha::LayerWeights<float>& w = encoder_.layers[l].attention.weights();
  return times(heads_[l], w.w_o, w.b_o);
}
// [written]

// [embeddings]
Matrix<float> ManyTexts::embeddings(const Gates& gates,
                                    InPlace in_place) const {
  const std::array<float, 5> key{gates[0], gates[1], gates[2], gates[3],
                                 in_place == InPlace::mean ? 1.0F : 0.0F};
  const auto known = second_.find(key);
  const Half& second =
      known != second_.end()
          ? known->second
          : second_.emplace(key, begin_layer(
                1, finish_layer(0, first_, gates, in_place), nullptr))
                .first->second;
  const Matrix<float> x = finish_layer(1, second, gates, in_place);
  Matrix<float> rows(size(), x.cols());
  for (Index i = 0; i < size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    rows.row(i) = leave<float>(
        encoder_, x.middleRows(begins_[at], begins_[at + 1] - begins_[at]));
  }
  return rows;
}
// [embeddings]

}  // namespace trained
