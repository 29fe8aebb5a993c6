/// \file layer.hpp
/// The multi-head attention layer (chapter 2).
#pragma once

#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace mha {

// [weights]
/// The parameters of a layer, in the order of the maths: y = x W + b. PyTorch
/// stores each matrix the other way round (out, in).
/// \tparam Scalar float, or double for references
template <typename Scalar>
struct LayerWeights {
  Matrix<Scalar> w_q;     ///< (d_model, n_heads d_head)
  Matrix<Scalar> w_k;     ///< (d_key, n_heads d_head)
  Matrix<Scalar> w_v;     ///< (d_value, n_heads d_head)
  Matrix<Scalar> w_o;     ///< (n_heads d_head, d_model)
  RowVector<Scalar> b_q;  ///< (n_heads d_head), or empty for no bias
  RowVector<Scalar> b_k;  ///< (n_heads d_head), or empty
  RowVector<Scalar> b_v;  ///< (n_heads d_head), or empty
  RowVector<Scalar> b_o;  ///< (d_model), or empty

  /// \return the same weights in another precision
  template <typename Other>
  LayerWeights<Other> cast() const {
    return {w_q.template cast<Other>(), w_k.template cast<Other>(),
            w_v.template cast<Other>(), w_o.template cast<Other>(),
            b_q.template cast<Other>(), b_k.template cast<Other>(),
            b_v.template cast<Other>(), b_o.template cast<Other>()};
  }
};
// [weights]

// [head of]
/// The columns that belong to one head. Nothing is copied: the result reads
/// and writes the matrix itself.
/// \param all     (T, n_heads d_head), any matrix of projected rows
/// \param head    0 to n_heads - 1
/// \param d_head  columns a head
/// \return (T, d_head) view
template <typename M>
auto head_of(M&& all, Index head, Index d_head) {
  return all.middleCols(head * d_head, d_head);
}
// [head of]

// [layer result]
/// What a layer computed.
/// \tparam Scalar float, or double for references
template <typename Scalar>
struct LayerResult {
  Matrix<Scalar> output;                ///< (T_q, d_model)
  Matrix<Scalar> heads;                 ///< (T_q, n_heads d_head): the concat
  std::vector<Matrix<Scalar>> weights;  ///< n_heads times (T_q, T_k)
};
// [layer result]

// [layer]
/// Multi-head attention (Vaswani et al. 2017, section 3.2.2).
/// \tparam Scalar float, or double for references
template <typename Scalar>
class MultiHeadAttention {
 public:
  /// \param weights  the parameters
  /// \param n_heads  how many heads share them
  /// \throws std::invalid_argument when n_heads does not divide the width of
  ///         the projections, or the shapes do not fit each other
  MultiHeadAttention(LayerWeights<Scalar> weights, Index n_heads);

  /// Cross-attention: queries from one sequence, keys and values from another.
  /// \param query    (T_q, d_model)
  /// \param key      (T_k, d_key)
  /// \param value    (T_k, d_value)
  /// \param options  masks, bias and scale, the same for every head
  /// \return output, concatenated heads, and every head's weights
  /// \throws std::invalid_argument when shapes do not fit
  LayerResult<Scalar> forward(const Matrix<Scalar>& query,
                              const Matrix<Scalar>& key,
                              const Matrix<Scalar>& value,
                              const AttentionOptions& options = {}) const;

  /// Self-attention.
  /// \param x        (T, d_model)
  /// \param options  masks, bias and scale
  /// \return as above
  LayerResult<Scalar> forward(const Matrix<Scalar>& x,
                              const AttentionOptions& options = {}) const {
    return forward(x, x, x, options);
  }

  /// \return the number of heads
  Index n_heads() const { return n_heads_; }
  /// \return columns a head
  Index d_head() const { return weights_.w_q.cols() / n_heads_; }
  /// \return the parameters
  const LayerWeights<Scalar>& weights() const { return weights_; }

 private:
  LayerWeights<Scalar> weights_;
  Index n_heads_;
};
// [layer]

// [layer checks]
template <typename Scalar>
MultiHeadAttention<Scalar>::MultiHeadAttention(LayerWeights<Scalar> weights,
                                               Index n_heads)
    : weights_(std::move(weights)), n_heads_(n_heads) {
  const LayerWeights<Scalar>& w = weights_;
  const Index width = w.w_q.cols();
  require(n_heads >= 1, "n_heads = {}, but a layer needs at least 1", n_heads);
  require(width > 0 && width % n_heads == 0,
          "n_heads = {} does not divide the width {}; choose a divisor of {}",
          n_heads, width, width);
  require(w.w_k.cols() == width && w.w_v.cols() == width,
          "w_q has {} columns, but w_k has {} and w_v {}", width, w.w_k.cols(),
          w.w_v.cols());
  require(w.w_o.rows() == width, "heads have {} columns, but w_o has {} rows",
          width, w.w_o.rows());
  const auto check_bias = [](const RowVector<Scalar>& b, Index n,
                             const char* name) {
    require(b.size() == 0 || b.size() == n, "{} has {} entries, but needs {}",
            name, b.size(), n);
  };
  check_bias(w.b_q, width, "b_q");
  check_bias(w.b_k, width, "b_k");
  check_bias(w.b_v, width, "b_v");
  check_bias(w.b_o, w.w_o.cols(), "b_o");
}
// [layer checks]

// [project]
/// A linear map of every row.
/// \param x     (T, d_in)
/// \param w     (d_in, d_out)
/// \param b     (d_out), or empty for none
/// \param name  what x is called in the message
/// \return (T, d_out): x w + b
/// \throws std::invalid_argument when x and w do not fit
template <typename Scalar>
Matrix<Scalar> project(const Matrix<Scalar>& x, const Matrix<Scalar>& w,
                       const RowVector<Scalar>& b, const char* name) {
  require(x.cols() == w.rows(),
          "{} has {} columns, but its weights have {} rows", name, x.cols(),
          w.rows());
  Matrix<Scalar> y = x * w;
  if (b.size() != 0) y.rowwise() += b;
  return y;
}
// [project]

// [forward]
template <typename Scalar>
LayerResult<Scalar> MultiHeadAttention<Scalar>::forward(
    const Matrix<Scalar>& query, const Matrix<Scalar>& key,
    const Matrix<Scalar>& value, const AttentionOptions& options) const {
  const LayerWeights<Scalar>& w = weights_;
  const Matrix<Scalar> q = project(query, w.w_q, w.b_q, "query");
  const Matrix<Scalar> k = project(key, w.w_k, w.b_k, "key");
  const Matrix<Scalar> v = project(value, w.w_v, w.b_v, "value");

  LayerResult<Scalar> result;
  result.heads.resize(q.rows(), q.cols());
  for (Index h = 0; h < n_heads_; ++h) {
    AttentionResult<Scalar> head =
        attention(head_of(q, h, d_head()), head_of(k, h, d_head()),
                  head_of(v, h, d_head()), options);
    head_of(result.heads, h, d_head()) = head.context;
    result.weights.push_back(std::move(head.weights));
  }
  result.output = project(result.heads, w.w_o, w.b_o, "the row of heads");
  return result;
}
// [forward]

// [torch layer]
/// The parameters that `torch.nn.MultiheadAttention(d_model, n_heads)` draws.
/// They do not depend on n_heads.
/// \param generator  moves on by 4 d_model^2 + d_model draws
/// \param d_model    width of a token
/// \return weights with biases (which start at zero)
/// \throws std::invalid_argument when d_model is not positive
inline LayerWeights<float> torch_layer_weights(TorchGenerator& generator,
                                               Index d_model) {
  require(d_model >= 1, "d_model = {}, but must be at least 1", d_model);
  const double d = static_cast<double>(d_model);
  // The bounds of nn.Linear and of Xavier for the packed (3d, d) matrix.
  const float linear = static_cast<float>(1 / std::sqrt(d));
  const float xavier = static_cast<float>(std::sqrt(6 / (4 * d)));

  LayerWeights<float> w;
  w.w_o = generator.uniform(d_model, d_model, -linear, linear).transpose();
  generator.uniform(1, d_model, -linear, linear);  // a bias, zeroed later
  const Matrix<float> packed =
      generator.uniform(3 * d_model, d_model, -xavier, xavier);
  w.w_q = packed.topRows(d_model).transpose();
  w.w_k = packed.middleRows(d_model, d_model).transpose();
  w.w_v = packed.bottomRows(d_model).transpose();
  w.b_q = w.b_k = w.b_v = w.b_o = RowVector<float>::Zero(d_model);
  return w;
}
// [torch layer]

}  // namespace mha
