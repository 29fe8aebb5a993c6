#include "mha/at_width.hpp"
#include "mha/group_kernel.hpp"

namespace mha {
namespace {

// [group kernel here]
GroupKernel kernel_for(int lanes) {
  return at_width(lanes, [](auto width) { return group_kernel<width>(); });
}
// [group kernel here]

}  // namespace

// [group by width]
void attend_group(const float* q, std::ptrdiff_t heads, std::ptrdiff_t d_head,
                  float scale, const KeyValueRun* runs, std::ptrdiff_t n_runs,
                  float* scores, float* out, int lanes) {
  kernel_for(lanes).attend(q, heads, d_head, scale, runs, n_runs, scores, out);
}

float read_all(const float* numbers, std::ptrdiff_t n) {
  return kernel_for(0).read(numbers, n);
}
// [group by width]

}  // namespace mha
