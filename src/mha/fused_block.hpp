/// \file fused_block.hpp
/// One block of queries of the fused attention (chapter 7). The source file is
/// compiled once for each width of vectors, so nothing here has inline code
/// that two of them could share.
#pragma once

#include <cstddef>

namespace mha {

// [head strides]
/// Where the d_head numbers of an item, a token and a head begin: at
/// item * strides.item + token * strides.token + head * strides.head.
struct HeadStrides {
  std::ptrdiff_t item = 0;   ///< floats from one item to the next
  std::ptrdiff_t token = 0;  ///< from one token to the next
  std::ptrdiff_t head = 0;   ///< from one head to the next
};
// [head strides]

// [fused call]
/// A call of the fused attention, on memory of any layout.
struct FusedCall {
  const float* q = nullptr;      ///< (batch, t_q, n_heads, d_head)
  const float* k = nullptr;      ///< (batch, t_k, n_kv_heads, d_head)
  const float* v = nullptr;      ///< (batch, t_k, n_kv_heads, d_head)
  float* out = nullptr;          ///< (batch, t_q, n_heads, d_head): written
  float* log_sum_exp = nullptr;  ///< (batch, n_heads, t_q): written, or null
  HeadStrides q_at = {};         ///< of q
  HeadStrides k_at = {};         ///< of k
  HeadStrides v_at = {};         ///< of v
  HeadStrides out_at = {};       ///< of out
  std::ptrdiff_t batch = 1;      ///< items
  std::ptrdiff_t t_q = 1;        ///< queries an item
  std::ptrdiff_t t_k = 1;        ///< keys an item
  std::ptrdiff_t n_heads = 1;    ///< query heads
  std::ptrdiff_t n_kv_heads = 1;  ///< key/value heads, dividing n_heads
  std::ptrdiff_t d_head = 1;     ///< numbers a head
  float scale = 1;               ///< factor on the dot products
  bool causal = false;           ///< query i sees keys j <= i + causal_shift
  std::ptrdiff_t causal_shift = 0;  ///< 0: top left; t_k - t_q: bottom right
  const bool* padding = nullptr;  ///< (batch, t_k), true is real; or null
  const bool* pairs = nullptr;    ///< (t_q, t_k), true is seen; or null
  const float* bias = nullptr;    ///< (t_q, t_k), is added; or null
};
// [fused call]

// [fused kernel]
/// The code for one width of vectors.
struct FusedKernel {
  int lanes;               ///< floats in a vector
  std::ptrdiff_t queries;  ///< queries in a block
  /// Computes the outputs of one block: (call, item, head, first query,
  /// memory). Reads no more than the call's tensors.
  void (*attend)(const FusedCall&, std::ptrdiff_t, std::ptrdiff_t,
                 std::ptrdiff_t, float*);
  /// \return floats of memory that a block needs, for a width of heads. The
  ///         memory must be aligned to 64 bytes
  std::ptrdiff_t (*floats_needed)(std::ptrdiff_t);
};

/// \tparam lanes  4, and on x86-64 also 8 (AVX2 and FMA) and 16 (AVX-512)
/// \return the code for that width; it may be run only on a machine that has it
template <int lanes>
FusedKernel fused_kernel();
// [fused kernel]

}  // namespace mha
