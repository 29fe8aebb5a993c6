#include "mha/battery.hpp"
#include "mha/generator.hpp"

#include <algorithm>
#include <cmath>

namespace mha {

// [fixture]
AttentionCall fixture_call() {
  AttentionCall call = {.q = Matrix<double>(3, 8), .k = Matrix<double>(3, 8),
                        .v = Matrix<double>(3, 8)};
  call.n_heads = call.n_kv_heads = 2;
  for (int t = 0; t < 3; ++t) {
    for (int c = 0; c < 8; ++c) {
      call.q(t, c) = ((3 * t + 2 * c) % 7 - 3) / 2.0;
      call.k(t, c) = ((5 * t + 3 * c + 1) % 7 - 3) / 2.0;
      call.v(t, c) = t + c / 8.0;
    }
  }
  return call;
}
// [fixture]

// [random call]
AttentionCall random_call(std::uint32_t seed, const CallSizes& sizes) {
  TorchGenerator generator(seed);
  const Index t_k = sizes.t_k == 0 ? sizes.t_q : sizes.t_k;
  const Index n_kv_heads =
      sizes.n_kv_heads == 0 ? sizes.n_heads : sizes.n_kv_heads;
  const auto draw = [&](Index rows, Index heads) -> Matrix<double> {
    return generator.normal(rows, heads * sizes.d_head).cast<double>();
  };
  AttentionCall call;
  call.q = draw(sizes.batch * sizes.t_q, sizes.n_heads);
  call.k = draw(sizes.batch * t_k, n_kv_heads);
  call.v = draw(sizes.batch * t_k, n_kv_heads);
  call.batch = call.kv_batch = sizes.batch;
  call.n_heads = sizes.n_heads;
  call.n_kv_heads = n_kv_heads;
  return call;
}
// [random call]

// [one row]
AttentionCall one_row(const std::vector<double>& scores) {
  const Index n = static_cast<Index>(scores.size());
  AttentionCall call = {.q = Matrix<double>::Ones(1, 1),
                        .k = Matrix<double>(n, 1), .v = Matrix<double>(n, 1)};
  for (Index j = 0; j < n; ++j) {
    call.k(j, 0) = scores[static_cast<std::size_t>(j)];
    call.v(j, 0) = static_cast<double>(j);
  }
  return call;
}
// [one row]

// [trial sizes]
Index numbers_in(const CallSizes& sizes) {
  const Index t_k = sizes.t_k == 0 ? sizes.t_q : sizes.t_k;
  const Index kv = sizes.n_kv_heads == 0 ? sizes.n_heads : sizes.n_kv_heads;
  return sizes.batch * sizes.d_head *
         (sizes.t_q * sizes.n_heads + 2 * t_k * kv);
}

// Small ones in which each size is 1 at times, and long ones around the tile
// lengths that programs like.
const std::vector<CallSizes>& trial_sizes() {
  static const std::vector<CallSizes> all = [] {
    std::vector<CallSizes> sizes;
    for (const Index batch : {1, 2})
      for (const auto& [t_q, t_k] : {std::pair<Index, Index>{1, 1}, {1, 3},
                                     {2, 2}, {2, 5}, {3, 3}, {5, 5}, {5, 2}})
        for (const auto& [n_heads, n_kv] :
             {std::pair<Index, Index>{1, 1}, {2, 2}, {3, 3}, {4, 2}, {6, 3}})
          for (const Index d : {1, 2, 4}) {
            sizes.push_back({batch, t_q, t_k, n_heads, n_kv, d});
          }
    for (const Index t : {16, 33, 65, 129}) {
      sizes.push_back({1, t, t, 1, 1, 3});
      sizes.push_back({1, 2, t, 2, 1, 17});
    }
    sizes.push_back({3, 7, 7, 5, 5, 64});
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const CallSizes& a, const CallSizes& b) {
                       return numbers_in(a) < numbers_in(b);
                     });
    return sizes;
  }();
  return all;
}
// [trial sizes]

// [may see]
namespace {
// Whether query i of item b may look at its key j.
bool may_see(const AttentionCall& call, Index b, Index i, Index j) {
  const AttentionOptions& options = call.options;
  const Index last = options.causal == Causal::bottom_right
                         ? i + keys_of(call) - tokens_of(call)
                         : i;
  const BoolMatrix& pairs = options.pairs.attends();
  return (options.causal == Causal::none || j <= last) &&
         (!is_given(pairs) || pairs(i, j)) &&
         (!is_given(options.keys.attends()) || options.keys.attends()(0, j)) &&
         (!is_given(call.padding) || call.padding(b, j));
}
}  // namespace
// [may see]

// [definition]
Matrix<double> by_definition(const AttentionCall& call) {
  const Index t_q = tokens_of(call), t_k = keys_of(call), d = d_head_of(call);
  const double scale = call.options.scale.value_or(
      1 / std::sqrt(static_cast<double>(d)));
  Matrix<double> output =
      Matrix<double>::Zero(call.q.rows(), call.q.cols());
  for (Index row = 0; row < output.rows(); ++row)
    for (Index h = 0; h < call.n_heads; ++h) {
      const Index item = row / t_q, i = row % t_q;
      const Index kv = h / (call.n_heads / call.n_kv_heads);
      double total = 0;
      for (Index j = 0; j < t_k; ++j) {
        if (!may_see(call, item, i, j)) continue;
        const Index key = item * t_k + j;
        double score = 0;
        for (Index c = 0; c < d; ++c)
          score += scale * call.q(row, h * d + c) * call.k(key, kv * d + c);
        // [definition]
        // [definition, softmax]
        if (is_given(call.options.bias)) score += call.options.bias(i, j);
        const double e = std::exp(score);
        total += e;
        if (e == 0) continue;  // its value is not looked at
        for (Index c = 0; c < d; ++c)
          output(row, h * d + c) += e * call.v(key, kv * d + c);
      }
      if (total > 0) output.row(row).segment(h * d, d) /= total;
    }
  return output;
}
// [definition, softmax]

}  // namespace mha
