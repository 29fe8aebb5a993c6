/// \file attention_call.hpp
/// One call of an attention, in a form that any implementation can be brought
/// into (chapter 5).
#pragma once

#include "mha/attention.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace mha {

// [call]
/// Queries, keys and values as a projection leaves them: one row a token, the
/// items of the batch below each other, the heads side by side.
struct AttentionCall {
  Matrix<double> q = {};          ///< (batch T_q, n_heads d_head)
  Matrix<double> k = {};          ///< (kv_batch T_k, n_kv_heads d_head)
  Matrix<double> v = {};          ///< (kv_batch T_k, n_kv_heads d_head)
  Index batch = 1;                ///< items, as q counts them
  Index kv_batch = 1;             ///< items, as k and v count them
  Index n_heads = 1;              ///< query heads
  Index n_kv_heads = 1;           ///< key/value heads
  AttentionOptions options = {};  ///< causal, pairs, bias, scale
  BoolMatrix padding = {};        ///< (kv_batch, T_k): true is a real token
  bool need_weights = true;       ///< whether the maps are asked for
  double dropout = 0;             ///< the share of weights to drop
  bool training = false;          ///< whether to drop them
  std::uint32_t seed = 0;         ///< of the dropout, another every call
};
// [call]

// [answer]
/// What comes back.
struct AttentionAnswer {
  Matrix<double> output;  ///< (batch T_q, n_heads d_head)
  /// Map of item b and head h at b n_heads + h, each (T_q, T_k).
  std::vector<Matrix<double>> weights;
};

/// Any implementation of attention.
using AttentionFunction =
    std::function<AttentionAnswer(const AttentionCall& call)>;
// [answer]

// [sizes]
/// \param call  a call
/// \return T_q, queries an item
inline Index tokens_of(const AttentionCall& call) {
  return call.q.rows() / call.batch;
}

/// \param call  a call
/// \return T_k, keys an item
inline Index keys_of(const AttentionCall& call) {
  return call.k.rows() / call.kv_batch;
}

/// \param call  a call
/// \return columns a head
inline Index d_head_of(const AttentionCall& call) {
  return call.q.cols() / call.n_heads;
}
// [sizes]

}  // namespace mha
