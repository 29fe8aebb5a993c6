/// \file grouped_attention.hpp
/// Attention in which several query heads share keys and values (chapter 6).
#pragma once

#include "mha/layer.hpp"

namespace mha {

// [kv head of]
/// Which key/value head a query head reads: neighbours share one.
/// \param head        query head, 0 to n_heads - 1
/// \param n_heads     query heads
/// \param n_kv_heads  key/value heads
/// \return 0 to n_kv_heads - 1
/// \throws std::invalid_argument when n_kv_heads does not divide n_heads, or
///         there is no such head
inline Index kv_head_of(Index head, Index n_heads, Index n_kv_heads) {
  require(n_kv_heads >= 1 && n_heads >= 1 && n_heads % n_kv_heads == 0,
          "n_kv_heads = {} does not divide n_heads = {}; choose a divisor",
          n_kv_heads, n_heads);
  require(head >= 0 && head < n_heads, "there is no head {} among {}", head,
          n_heads);
  return head / (n_heads / n_kv_heads);
}
// [kv head of]

// [grouped attention]
/// Multi-head (G = H), grouped-query (1 < G < H) and multi-query (G = 1)
/// attention (Shazeer 2019; Ainslie et al. 2023). No key is copied.
/// \param q           (T_q, n_heads d_head) queries
/// \param k           (T_k, n_kv_heads d_head) keys
/// \param v           (T_k, n_kv_heads d_v) values
/// \param n_heads     query heads, H
/// \param n_kv_heads  key/value heads, G, a divisor of H
/// \param options     masks, bias and scale, the same for every head
/// \return (T_q, n_heads d_v)
/// \throws std::invalid_argument when shapes do not fit
template <typename Scalar>
Matrix<Scalar> grouped_attention(const Matrix<Scalar>& q,
                                 const Matrix<Scalar>& k,
                                 const Matrix<Scalar>& v, Index n_heads,
                                 Index n_kv_heads,
                                 const AttentionOptions& options = {}) {
  kv_head_of(0, n_heads, n_kv_heads);  // the two numbers fit
  require(q.cols() % n_heads == 0 && k.cols() % n_kv_heads == 0 &&
              v.cols() % n_kv_heads == 0,
          "queries have {} columns for {} heads, keys {} and values {} for {}",
          q.cols(), n_heads, k.cols(), v.cols(), n_kv_heads);
  const Index d_head = q.cols() / n_heads, d_v = v.cols() / n_kv_heads;
  Matrix<Scalar> out(q.rows(), n_heads * d_v);
  for (Index h = 0; h < n_heads; ++h) {
    const Index g = kv_head_of(h, n_heads, n_kv_heads);
    head_of(out, h, d_v) =
        attention(head_of(q, h, d_head),
                  head_of(k, g, k.cols() / n_kv_heads), head_of(v, g, d_v),
                  options)
            .context;
  }
  return out;
}
// [grouped attention]

// [repeat heads]
/// The portable route: every query head gets a copy of the keys it reads, and
/// ordinary multi-head attention does the rest. It needs n_heads / n_kv_heads
/// times the memory.
/// \param rows        (T, n_kv_heads d) keys or values
/// \param n_heads     query heads
/// \param n_kv_heads  key/value heads
/// \return (T, n_heads d)
/// \throws std::invalid_argument when the numbers do not fit
template <typename Scalar>
Matrix<Scalar> repeat_heads(const Matrix<Scalar>& rows, Index n_heads,
                            Index n_kv_heads) {
  kv_head_of(0, n_heads, n_kv_heads);
  require(rows.cols() % n_kv_heads == 0, "{} columns are not {} heads",
          rows.cols(), n_kv_heads);
  const Index d = rows.cols() / n_kv_heads;
  Matrix<Scalar> repeated(rows.rows(), n_heads * d);
  for (Index h = 0; h < n_heads; ++h) {
    head_of(repeated, h, d) =
        head_of(rows, kv_head_of(h, n_heads, n_kv_heads), d);
  }
  return repeated;
}
// [repeat heads]

}  // namespace mha
