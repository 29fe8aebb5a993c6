#include "fused_on_calls.hpp"

namespace fused {

// [on calls]
mha::AttentionFunction on_calls(const mha::FusedSettings& settings) {
  return [settings](const mha::AttentionCall& call) {
    mha::require(call.batch == call.kv_batch,
                 "there are {} items of queries, but {} of keys", call.batch,
                 call.kv_batch);
    const mha::FusedResult result = mha::fused_attention(
        call.q.cast<float>(), call.k.cast<float>(), call.v.cast<float>(),
        {call.batch, call.n_heads, call.n_kv_heads}, call.options,
        call.padding, settings);
    return mha::AttentionAnswer{result.output.cast<double>(), {}};
  };
}

mha::Abilities abilities() {
  return {.weights = false,
          .training = false,
          .epsilon = std::numeric_limits<float>::epsilon()};
}
// [on calls]

}  // namespace fused
