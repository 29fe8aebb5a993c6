#include "comparing.hpp"

#include "mha/measure.hpp"

#include <algorithm>
#include <cmath>

namespace gallery {

// [relative error]
// Blows up where the right answer is close to zero.
double worst_relative_error(const Numbers& got, const Numbers& reference) {
  return ((got - reference).array().abs() / reference.array().abs())
      .maxCoeff<Eigen::PropagateNaN>();
}
// [relative error]

// [twice the plain error]
bool within_twice_the_plain_error(const Numbers& got, const Numbers& plain,
                                  const Numbers& reference) {
  const double allowed = 2 * mha::max_abs_difference(plain, reference);
  return std::isfinite(allowed) &&
         mha::max_abs_difference(got, reference) <= allowed;
}
// [twice the plain error]

// [folded with fmax]
// Wrong: fmax(0, NaN) is 0.
double folded_difference(const Numbers& got, const Numbers& reference) {
  double worst = 0;
  for (Index i = 0; i < got.rows(); ++i) {
    for (Index j = 0; j < got.cols(); ++j) {
      worst = std::fmax(worst, std::abs(got(i, j) - reference(i, j)));
    }
  }
  return worst;
}
// [folded with fmax]

// [attend in half]
// One head; every product and every sum is rounded to 16 bits.
Numbers attend_in_half(const Call& call, KeyOrder order, double scale) {
  const Index t_k = call.k.rows();
  Numbers output = Numbers::Zero(call.q.rows(), call.v.cols());
  for (Index i = 0; i < output.rows(); ++i) {
    const auto dot = [&](Index j) {
      double sum = 0;
      for (Index c = 0; c < call.q.cols(); ++c) {
        const double product = to_half(call.q(i, c)) * to_half(call.k(j, c));
        sum = to_half(sum + to_half(product));
      }
      return to_half(sum * scale);
    };
    double highest = dot(0), total = 0;
    for (Index j = 1; j < t_k; ++j) highest = std::max(highest, dot(j));
    // [attend in half]
    // [attend in half, keys]
    for (Index n = 0; n < t_k; ++n) {
      const Index j = order == KeyOrder::forward ? n : t_k - 1 - n;
      const double weight = to_half(std::exp(to_half(dot(j) - highest)));
      total = to_half(total + weight);
      for (Index c = 0; c < output.cols(); ++c) {
        const double part = to_half(weight * to_half(call.v(j, c)));
        output(i, c) = to_half(output(i, c) + part);
      }
    }
    for (double& y : output.row(i)) y = to_half(y / total);
  }
  return output;
}
// [attend in half, keys]

}  // namespace gallery
