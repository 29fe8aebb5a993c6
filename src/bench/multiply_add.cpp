// Compiled once for each width of vectors, as fused_block.cpp is.
#include "multiply_add.hpp"

#include "mha/vector_lanes.hpp"

namespace bench {

// Twelve chains that do not wait for each other: more than the four cycles of
// a multiply-add, twice a cycle, need; few enough for sixteen registers.
template <>
float multiply_add_rounds<MHA_LANES>(std::int64_t rounds) {
  mha::Vector sums[12];
  for (int n = 0; n < 12; ++n) {
    sums[n] = mha::broadcast(static_cast<float>(n));
  }
  // Volatile: what is not known beforehand cannot be worked out beforehand.
  volatile float near_one = 0.999F, small = 0.001F;
  const mha::Vector factor = mha::broadcast(near_one);
  const mha::Vector term = mha::broadcast(small);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (mha::Vector& sum : sums) sum = sum * factor + term;
  }
  float all = 0;
  for (const mha::Vector& sum : sums) all += sum[0];
  return all;
}

}  // namespace bench
