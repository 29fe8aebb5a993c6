#include "mha/at_width.hpp"
#include "mha/group_kernel.hpp"

namespace mha {

// [group kernel here]
GroupKernel group_kernel_for(int lanes) {
  return at_width(lanes, [](auto width) { return group_kernel<width>(); });
}

float read_all(const float* numbers, std::ptrdiff_t n) {
  return group_kernel_for(0).read(numbers, n);
}
// [group kernel here]

}  // namespace mha
