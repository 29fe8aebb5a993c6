/// \file attention.hpp
/// Scaled dot-product attention: one search (chapter 1).
#pragma once

#include "mha/matrix.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace mha {

// [causal]
/// Which later keys a query may not see. The two corners agree when there are
/// as many queries as keys, and differ otherwise.
enum class Causal {
  none,          ///< every key
  top_left,      ///< key j is visible to query i when j <= i
  bottom_right,  ///< key j is visible when j <= i + (T_k - T_q): decoding
};
// [causal]

// [attend mask]
/// Which keys may be attended to. Libraries disagree about what `true` means,
/// so a table of bools gets in only through a name that says it.
class AttendMask {
 public:
  /// The mask that hides nothing.
  AttendMask() = default;

  /// \param table  true where a key may be attended to
  /// \return the mask, as in scaled_dot_product_attention of PyTorch
  static AttendMask where_true_attends(BoolMatrix table) {
    return AttendMask(std::move(table));
  }

  /// \param table  true where a key is hidden
  /// \return the mask, as in nn.MultiheadAttention of PyTorch
  static AttendMask where_true_is_masked(const BoolMatrix& table) {
    return AttendMask(!table);
  }

  /// \return true where a key may be attended to; 0 x 0 if nothing is hidden
  const BoolMatrix& attends() const { return attends_; }

 private:
  explicit AttendMask(BoolMatrix table) : attends_(std::move(table)) {}
  BoolMatrix attends_;
};
// [attend mask]

// [options]
/// What attention() may be told beyond queries, keys and values.
struct AttentionOptions {
  /// Hides the keys that come later.
  Causal causal = Causal::none;
  /// (T_q, T_k): hides single pairs.
  AttendMask pairs = {};
  /// (1, T_k): hides keys from every query, such as padding.
  AttendMask keys = {};
  /// (T_q, T_k): is added to the scores; minus infinity hides.
  Matrix<double> bias = {};
  /// Factor on the dot products; 1 / sqrt(d_head) when empty.
  std::optional<double> scale = {};
};
// [options]

// [result]
/// Everything one head computed.
/// \tparam Scalar float, or double for references
template <typename Scalar>
struct AttentionResult {
  Matrix<Scalar> scores;   ///< (T_q, T_k): scaled, with bias, before the mask
  Matrix<Scalar> weights;  ///< (T_q, T_k): a row sums to 1, or is all zeros
  Matrix<Scalar> context;  ///< (T_q, d_v): weights times values
};
// [result]

// [visible bias]
/// \param table  a mask or a bias
/// \return whether it was given at all; one that was not is 0 x 0
template <typename Table>
bool is_given(const Eigen::DenseBase<Table>& table) {
  return table.rows() != 0 || table.cols() != 0;
}

/// Combines every mask of the options into one table, as booleans, so that no
/// two minus infinities ever meet.
/// \param options  the masks; an empty one hides nothing
/// \param t_q      number of queries
/// \param t_k      number of keys
/// \return (T_q, T_k), true where query i may attend to key j
/// \throws std::invalid_argument when a mask has another shape
inline BoolMatrix visible_keys(const AttentionOptions& options, Index t_q,
                               Index t_k) {
  BoolMatrix visible = BoolMatrix::Constant(t_q, t_k, true);
  const Matrix<double>& bias = options.bias;
  if (is_given(bias)) {
    require(bias.rows() == t_q && bias.cols() == t_k,
            "bias is {} x {}, but there are {} queries and {} keys",
            bias.rows(), bias.cols(), t_q, t_k);
    constexpr double inf = std::numeric_limits<double>::infinity();
    visible = visible && (bias.array() != -inf);
  }
  // [visible bias]
  // [visible pairs]
  const BoolMatrix& pairs = options.pairs.attends();
  if (is_given(pairs)) {
    require(pairs.rows() == t_q && pairs.cols() == t_k,
            "mask of pairs is {} x {}, but there are {} queries and {} keys",
            pairs.rows(), pairs.cols(), t_q, t_k);
    visible = visible && pairs;
  }
  const BoolMatrix& keys = options.keys.attends();
  if (is_given(keys)) {
    require(keys.rows() == 1 && keys.cols() == t_k,
            "mask of keys is {} x {}, but must be 1 x {}, one entry a key",
            keys.rows(), keys.cols(), t_k);
    visible = visible && keys.replicate(t_q, 1);
  }
  // [visible pairs]
  // [visible causal]
  if (options.causal != Causal::none) {
    const Index shift =
        options.causal == Causal::bottom_right ? t_k - t_q : 0;
    for (Index i = 0; i < t_q; ++i) {
      for (Index j = 0; j < t_k; ++j) {
        visible(i, j) = visible(i, j) && j <= i + shift;
      }
    }
  }
  return visible;
}
// [visible causal]

// [masked softmax]
/// Softmax along each row, over the visible keys only.
/// \param scores   (T_q, T_k)
/// \param visible  (T_q, T_k)
/// \return (T_q, T_k): hidden keys get exactly 0; a row that sees no key, or
///         only scores of minus infinity, is all zeros; infinite scores share
///         the row among them; NaN stays NaN
template <typename Scalar>
Matrix<Scalar> masked_softmax(const Matrix<Scalar>& scores,
                              const BoolMatrix& visible) {
  constexpr Scalar inf = std::numeric_limits<Scalar>::infinity();
  Matrix<Scalar> weights = Matrix<Scalar>::Zero(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    Scalar highest = -inf;
    for (Index j = 0; j < scores.cols(); ++j) {
      if (!visible(i, j)) continue;
      const Scalar score = scores(i, j);
      if (score > highest || std::isnan(score)) highest = score;
    }
    if (highest == -inf) continue;  // nothing to look at: a row of zeros
    // [masked softmax]
    // [masked softmax sum]
    Scalar total = 0;
    for (Index j = 0; j < scores.cols(); ++j) {
      if (!visible(i, j)) continue;
      // Equal scores may both be infinite, and infinity less infinity is NaN.
      weights(i, j) = scores(i, j) == highest
                          ? Scalar{1}
                          : std::exp(scores(i, j) - highest);
      total += weights(i, j);
    }
    for (Index j = 0; j < scores.cols(); ++j) {
      if (visible(i, j)) weights(i, j) /= total;  // hidden: 0, even by NaN
    }
  }
  return weights;
}
// [masked softmax sum]

// [weighted sum]
/// Adds up the values, each times its weight. A hidden key's value is never
/// touched: 0 times NaN would be NaN.
/// \param weights  (T_q, T_k)
/// \param visible  (T_q, T_k)
/// \param v        (T_k, d_v)
/// \return (T_q, d_v)
template <typename Scalar, typename V>
Matrix<Scalar> weighted_sum(const Matrix<Scalar>& weights,
                            const BoolMatrix& visible,
                            const Eigen::MatrixBase<V>& v) {
  Matrix<Scalar> context = Matrix<Scalar>::Zero(weights.rows(), v.cols());
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index j = 0; j < weights.cols(); ++j) {
      if (visible(i, j)) context.row(i) += weights(i, j) * v.row(j);
    }
  }
  return context;
}
// [weighted sum]

// [attention]
/// Scaled dot-product attention, softmax(Q K^T scale + bias) V
/// (Vaswani et al. 2017, equation 1).
/// \param q        (T_q, d_head) queries
/// \param k        (T_k, d_head) keys
/// \param v        (T_k, d_v) values
/// \param options  masks, bias and scale
/// \return scores, weights and context
/// \throws std::invalid_argument when shapes do not fit, with both numbers
template <typename Q, typename K, typename V>
AttentionResult<typename Q::Scalar> attention(
    const Eigen::MatrixBase<Q>& q, const Eigen::MatrixBase<K>& k,
    const Eigen::MatrixBase<V>& v, const AttentionOptions& options = {}) {
  using Scalar = typename Q::Scalar;
  require(q.cols() == k.cols(), "queries have {} columns, but keys have {}",
          q.cols(), k.cols());
  require(k.rows() == v.rows(), "there are {} keys, but {} values", k.rows(),
          v.rows());
  require(q.cols() > 0, "queries and keys have 0 columns, but need at least 1");
  // [attention]
  // [attention steps]
  const BoolMatrix visible = visible_keys(options, q.rows(), k.rows());
  const double scale = options.scale.value_or(
      1.0 / std::sqrt(static_cast<double>(q.cols())));
  AttentionResult<Scalar> result;
  result.scores = (static_cast<Scalar>(scale) * q) * k.transpose();
  if (is_given(options.bias)) {
    result.scores += options.bias.template cast<Scalar>();
  }
  result.weights = masked_softmax(result.scores, visible);
  result.context = weighted_sum(result.weights, visible, v);
  return result;
}
// [attention steps]

}  // namespace mha
