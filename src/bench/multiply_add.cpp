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
  mha::Vector factor = mha::broadcast(0.999F), term = mha::broadcast(0.001F);
  for (std::int64_t round = 0; round < rounds; ++round) {
    // What the compiler cannot see through it must not work out beforehand.
    asm volatile("" : "+x"(factor), "+x"(term));
    for (mha::Vector& sum : sums) sum = sum * factor + term;
  }
  float all = 0;
  for (const mha::Vector& sum : sums) all += sum[0];
  return all;
}

}  // namespace bench
