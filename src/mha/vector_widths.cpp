#include "mha/vector_widths.hpp"

#include "mha/matrix.hpp"

#include <algorithm>

namespace mha {

// [widths here]
std::vector<int> vector_widths() {
  std::vector<int> widths = {4};
#ifdef MHA_X86_WIDTHS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    widths.push_back(8);
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
      widths.push_back(16);
    }
  }
#endif
  return widths;
}

int width_here(int lanes) {
  const std::vector<int> widths = vector_widths();
  if (lanes == 0) return widths.back();
  require(std::count(widths.begin(), widths.end(), lanes) == 1,
          "this machine has no vectors of {} floats that attention can use; "
          "its widest have {}", lanes, widths.back());
  return lanes;
}
// [widths here]

}  // namespace mha
