/// \file pointer_attention.hpp
/// Brings an attention that works on plain pointers before the battery
/// (chapter 5).
#pragma once

#include "mha/battery.hpp"

#include <functional>

namespace mha {

// [pointer sizes]
/// What a call on pointers is told beside them.
/// \tparam T  float or double
template <typename T>
struct PointerSizes {
  Index batch = 1;       ///< items
  Index t_q = 1;         ///< queries an item
  Index t_k = 1;         ///< keys an item
  Index n_heads = 1;     ///< query heads
  Index n_kv_heads = 1;  ///< key/value heads, a divisor of n_heads
  Index d_head = 1;      ///< columns a head
  bool causal = false;   ///< query i sees keys j <= i + t_k - t_q
  T scale = 1;           ///< always set: 1 / sqrt(d_head) if none was asked
  const bool* padding = nullptr;  ///< (batch, t_k), true is real; or null
  const T* bias = nullptr;        ///< (t_q, t_k), is added; or null
};
// [pointer sizes]

// [pointer layout]
/// The order in which numbers of shape batch, tokens, heads and d_head lie in
/// memory, the slowest first. d_head is always last.
enum class PointerLayout {
  batch_token_head,  ///< (batch, T, heads, d_head): as a projection leaves them
  batch_head_token,  ///< (batch, heads, T, d_head): as PyTorch's function wants
  token_batch_head,  ///< (T, batch, heads, d_head): sequence first
};

/// Reads q, k and v, and writes all of out, which has the shape of q.
using FloatAttention =
    std::function<void(const float* q, const float* k, const float* v,
                       float* out, const PointerSizes<float>& sizes)>;
/// The same in double precision.
using DoubleAttention =
    std::function<void(const double* q, const double* k, const double* v,
                       double* out, const PointerSizes<double>& sizes)>;
// [pointer layout]

// [from pointers]
/// \param function  an attention on pointers
/// \param layout    of q, k, v and out
/// \return the same attention, on calls. Its output starts as NaN, so that a
///         place that is never written shows. A call throws
///         std::invalid_argument when its sizes do not fit, and when it has a
///         mask of pairs
AttentionFunction from_pointers(FloatAttention function, PointerLayout layout);

/// The same in double precision.
/// \param function  an attention on pointers
/// \param layout    of q, k, v and out
/// \return as above
AttentionFunction from_pointers(DoubleAttention function,
                                PointerLayout layout);

/// What can be asked of an attention on pointers: no mask of pairs, no maps,
/// no dropout, no refusals. Padding and bias are off too; switch on what
/// yours reads.
/// \tparam T  float or double, which sets epsilon
/// \return abilities, to be changed
template <typename T>
Abilities pointer_abilities() {
  return {.pairs = false, .padding = false, .bias = false, .weights = false,
          .training = false, .refuses = false,
          .epsilon = std::numeric_limits<T>::epsilon()};
}
// [from pointers]

}  // namespace mha
