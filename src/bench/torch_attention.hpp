/// \file torch_attention.hpp
/// PyTorch's attention, where libtorch is installed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bench {

/// Inputs and output of one size, (heads, tokens, d_head) each, contiguous.
struct TorchCall {
  const float* q;       ///< queries
  const float* k;       ///< keys
  const float* v;       ///< values
  float* out;           ///< written
  std::int64_t heads;   ///< how many
  std::int64_t tokens;  ///< queries, and keys
  std::int64_t d_head;  ///< columns a head
  float scale;          ///< factor on the dot products
};

/// libtorch, if this program was built with it.
struct Torch {
  std::string version;  ///< empty when it was not
  /// softmax(q k^T scale) v in libtorch's own operations; empty without it.
  std::function<void(const TorchCall&)> attend;
};

/// \param threads  that libtorch is to use
/// \return libtorch, or nothing in its place
Torch torch_with(int threads);

}  // namespace bench
