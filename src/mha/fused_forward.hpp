/// \file fused_forward.hpp
/// Attention that never stores its scores (chapter 7).
#pragma once

#include "mha/attention.hpp"
#include "mha/fused_block.hpp"
#include "mha/vector_widths.hpp"

namespace mha {

// [fused settings]
/// How a fused attention is run; its result does not depend on the threads.
struct FusedSettings {
  int threads = 0;  ///< 0: as many as OpenMP gives and the call is worth
  int lanes = 0;    ///< one of vector_widths(); 0: the widest of them
};
// [fused settings]

// [fused forward]
/// softmax(Q K^T scale + bias) V in float32, a block of queries at a time
/// (Rabe and Staats 2021; Dao et al. 2022). Beyond `out` and `log_sum_exp` it
/// needs (2 d_head + 64) x 8 to 32 floats a thread, however long the text.
/// Hidden keys count for nothing, even NaN; a query that sees no key gets zeros
/// and a log-sum-exp of minus infinity.
/// \param call      queries, keys, values, masks, and where to write
/// \param settings  threads and width
/// \throws std::invalid_argument when sizes do not fit, or when this machine
///         does not have that width
void fused_forward(const FusedCall& call, const FusedSettings& settings = {});

/// The same with a kernel that is given.
/// \param call     as above
/// \param kernel   what computes a block
/// \param threads  0: as many as OpenMP gives
/// \throws std::invalid_argument when sizes do not fit
void fused_forward_with(const FusedCall& call, const FusedKernel& kernel,
                        int threads);
// [fused forward]

// [fused result]
/// What a fused attention returns.
struct FusedResult {
  Matrix<float> output;       ///< (batch T_q, n_heads d_head)
  Matrix<float> log_sum_exp;  ///< (batch n_heads, T_q), natural logarithm
};

/// How heads lie in the rows of a matrix.
struct FusedHeads {
  Index batch = 1;       ///< items, below each other
  Index n_heads = 1;     ///< query heads, side by side
  Index n_kv_heads = 1;  ///< key/value heads, a divisor of n_heads
};

/// The same on matrices, as a projection leaves them.
/// \param q         (batch T_q, n_heads d_head)
/// \param k         (batch T_k, n_kv_heads d_head)
/// \param v         (batch T_k, n_kv_heads d_head)
/// \param heads     how many items and heads these hold
/// \param options   masks, bias and scale, the same for every item and head
/// \param padding   (batch, T_k), true is a real token; 0 x 0 if all are
/// \param settings  threads and width
/// \return output and log-sum-exp
/// \throws std::invalid_argument when shapes do not fit, with the numbers
FusedResult fused_attention(const Matrix<float>& q, const Matrix<float>& k,
                            const Matrix<float>& v, const FusedHeads& heads,
                            const AttentionOptions& options = {},
                            const BoolMatrix& padding = {},
                            const FusedSettings& settings = {});
// [fused result]

}  // namespace mha
