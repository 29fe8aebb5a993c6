#include "multiply_add.hpp"

#include "mha/vector_lanes.hpp"

namespace bench {

// Sixteen chains, so that none is waited for: reading is what takes time.
float sum_of(const float* memory, std::int64_t count) {
  mha::Vector sums[16] = {};
  for (std::int64_t n = 0; n < count; n += 16 * mha::lanes) {
    for (int chain = 0; chain < 16; ++chain) {
      sums[chain] += mha::load(memory + n + chain * mha::lanes);
    }
    __builtin_prefetch(memory + n + 1024);
  }
  float all = 0;
  for (const mha::Vector& sum : sums) {
    for (int n = 0; n < mha::lanes; ++n) all += sum[n];
  }
  return all;
}

}  // namespace bench
