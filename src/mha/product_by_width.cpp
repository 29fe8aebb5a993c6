#include "mha/at_width.hpp"
#include "mha/product_kernel.hpp"

namespace mha {
namespace {

// [product kernel here]
ProductKernel widest() {
  return at_width(0, [](auto lanes) { return product_kernel<lanes>(); });
}
// [product kernel here]

}  // namespace

// [products by width]
void attend_by_products(const float* q, std::ptrdiff_t heads,
                        std::ptrdiff_t d_head, float scale,
                        const KeyValueRun& run, float* scores, float* out) {
  widest().attend(q, heads, d_head, scale, run, scores, out);
}

void multiply(const float* a, const float* b, std::ptrdiff_t rows,
              std::ptrdiff_t inner, std::ptrdiff_t columns, float* out) {
  widest().multiply(a, b, rows, inner, columns, out);
}
// [products by width]

}  // namespace mha
