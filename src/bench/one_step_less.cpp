// fused_block.cpp with one of its functions exchanged. Compiled once for each:
// MHA_LESS names the kernel that is made.
#include "mha/vector_lanes.hpp"

namespace mha {
namespace {

[[maybe_unused]] inline Vector exp2_one_by_one(Vector x) {
  for (int n = 0; n < lanes; ++n) x[n] = __builtin_exp2f(x[n]);
  return x;
}

// Wrong, and free of cost: what is left is all but the exponentials.
[[maybe_unused]] inline Vector no_exp2(Vector x) { return x; }

[[maybe_unused]] inline void turn_through_memory(Vector (&rows)[lanes]) {
  volatile float square[lanes][lanes];
  for (int i = 0; i < lanes; ++i) {
    for (int j = 0; j < lanes; ++j) square[j][i] = rows[i][j];
  }
  for (int i = 0; i < lanes; ++i) {
    for (int j = 0; j < lanes; ++j) rows[i][j] = square[i][j];
  }
}

[[maybe_unused]] inline void do_not_fetch(const float* /*from*/, Size) {}

}  // namespace
}  // namespace mha

#if defined(MHA_LESS_EXP)
#define exp2_below_zero exp2_one_by_one
#define fused_kernel kernel_without_own_exp
#elif defined(MHA_LESS_ANY_EXP)
#define exp2_below_zero no_exp2
#define fused_kernel kernel_without_any_exp
#elif defined(MHA_LESS_FETCH)
#define fetch_row do_not_fetch
#define fused_kernel kernel_without_fetching
#else
#define transpose turn_through_memory
#define fused_kernel kernel_without_shuffles
#endif

#include "mha/fused_block.cpp"  // NOLINT: the file itself is what is changed
