// Three more right programs whose expressions can be exchanged.
#pragma once

#include "mutation.hpp"

#include "mha/cache_checks.hpp"
#include "mha/layer_checks.hpp"

namespace mutants {

/// Attention with a running softmax over tiles of 16 keys, without maps.
/// \param call  without dropout
/// \param m     what is exchanged
/// \return its answer
mha::AttentionAnswer tiled_attention(const mha::AttentionCall& call,
                                     const Mutator& m);

/// A layer in plain loops around the plain attention.
/// \param call  of a layer
/// \param m     what is exchanged
/// \return its output
/// \throws std::invalid_argument when the heads do not divide the width
mha::Matrix<double> plain_layer(const mha::LayerCall& call, const Mutator& m);

/// A cache that grows when it is full.
/// \param m  what is exchanged
/// \return what begins a session
mha::CachedAttention growing_cache(const Mutator& m);

}  // namespace mutants
