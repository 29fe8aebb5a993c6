// [own Eigen]
// Compiled once for each width, like group_kernel.cpp. Each Eigen has a name of
// its own, so that the linker does not mix it with the others.
#ifndef MHA_LANES
#define MHA_LANES 4
#endif
#if MHA_LANES == 16
#define Eigen EigenOf16Lanes
#elif MHA_LANES == 8
#define Eigen EigenOf8Lanes
#endif
// [own Eigen]
#include "mha/product_kernel.hpp"

#include <Eigen/Core>

namespace mha {
namespace {

// [by products]
void attend(const float* q, std::ptrdiff_t heads, std::ptrdiff_t d_head,
            float scale, const KeyValueRun& run, float* scores, float* out) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic,
                               Eigen::RowMajor>;
  using In = Eigen::Map<const Matrix>;
  const In queries(q, heads, d_head), keys(run.k, run.tokens, d_head);
  const In values(run.v, run.tokens, d_head);
  Eigen::Map<Matrix> s(scores, heads, run.tokens), y(out, heads, d_head);
  s.noalias() = scale * queries * keys.transpose();
  for (std::ptrdiff_t h = 0; h < heads; ++h) {
    auto row = s.row(h).array();
    row = (row - row.maxCoeff()).exp();
    row /= row.sum();
  }
  y.noalias() = s * values;
}
// [by products]

// [multiply matrices]
void product(const float* a, const float* b, std::ptrdiff_t rows,
             std::ptrdiff_t inner, std::ptrdiff_t columns, float* out) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic,
                               Eigen::RowMajor>;
  using In = Eigen::Map<const Matrix>;
  Eigen::Map<Matrix>(out, rows, columns).noalias() =
      In(a, rows, inner) * In(b, inner, columns);
}
// [multiply matrices]

}  // namespace

// [this product kernel]
/// \return the code for the width that this file is compiled for
template <>
ProductKernel product_kernel<MHA_LANES>() {
  return {attend, product};
}
// [this product kernel]

}  // namespace mha
