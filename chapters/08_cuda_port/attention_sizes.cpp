#include "attention_sizes.hpp"

#include "kernel_ladder.hpp"

#include "mha/matrix.hpp"

namespace cuda_port {

// [check sizes]
void check_sizes(const Sizes& s) {
  const auto positive = [](const char* name, Index count) {
    mha::require(count >= 1, "{} = {}, but must be at least 1", name, count);
  };
  positive("batch", s.batch);
  positive("heads", s.heads);
  positive("kv_heads", s.kv_heads);
  positive("queries", s.queries);
  positive("keys", s.keys);
  mha::require(s.width >= 1 && s.width <= 128,
               "width = {}, but the kernels are made for 1 to 128 columns a "
               "head", s.width);
  mha::require(s.heads % s.kv_heads == 0,
               "kv_heads = {} does not divide heads = {}; choose a divisor",
               s.kv_heads, s.heads);
}
// [check sizes]

}  // namespace cuda_port
