#include "bandwidth.hpp"

#include "mha/generator.hpp"
#include "mha/kv_cache.hpp"
#include "mha/product_kernel.hpp"
#include "mha/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace bandwidth {
namespace {

// [layer to measure]
using mha::Index;
constexpr Index n_heads = 32, d_head = 128;
constexpr float scale = 0.088388F;  // 1 / sqrt(128)

mha::KvCache filled(Index n_kv_heads, Index tokens) {
  mha::KvCache cache({1, n_kv_heads, d_head, tokens});
  mha::TorchGenerator generator(6);
  const mha::Matrix<float> rows = generator.normal(2, n_kv_heads * d_head);
  for (Index t = 0; t < tokens; ++t) {
    cache.append(0, rows.row(t % 2), rows.row(1));
  }
  return cache;
}

void by_products(const mha::KvCache& cache, const mha::RowVector<float>& q,
                 std::vector<float>& scores, mha::RowVector<float>& out) {
  const Index n_kv_heads = cache.shape().n_kv_heads;
  const Index group = n_heads / n_kv_heads;
  for (Index g = 0; g < n_kv_heads; ++g) {
    const Index first = g * group * d_head;
    mha::attend_by_products(q.data() + first, group, d_head, scale,
                            cache.runs(0, g).front(), scores.data(),
                            out.data() + first);
  }
}
// [layer to measure]

// [clock]
template <typename Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       start).count();
}

// Whatever else the machine does can only add time.
double best(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}
// [clock]

}  // namespace

// [measure]
Measured measure(Index n_kv_heads, Index tokens, int rounds) {
  const mha::KvCache cache = filled(n_kv_heads, tokens);
  const Index floats = mha::cache_floats(cache.shape());
  const std::vector<float> others(static_cast<std::size_t>(floats), 1.0F);
  std::vector<float> scores(
      static_cast<std::size_t>(n_heads / n_kv_heads * tokens));
  const auto q = mha::RowVector<float>::Constant(n_heads * d_head, 0.1F).eval();
  mha::RowVector<float> out = q;
  std::vector<double> probe, decode, products;
  volatile float sink = 0;  // so that nothing is left out
  for (int round = 0; round <= rounds; ++round) {
    const double p = seconds([&] {
      sink = mha::read_all(others.data(), floats);
    });
    const double d = seconds([&] {
      sink = mha::decode(cache, 0, q, n_heads, scale)(0);
    });
    const double m = seconds([&] {
      by_products(cache, q, scores, out);
      sink = out(0);
    });
    if (round == 0) continue;  // the first finds nothing in its place
    probe.push_back(p);
    decode.push_back(d);
    products.push_back(m);
  }
  return {n_kv_heads, 4 * floats, best(probe), best(decode), best(products)};
}
// [measure]

// [print measured]
void print_measured(Index tokens) {
  mha::heading("Reading the cache");
  fmt::print("one layer, {} query heads of {}, {} tokens, one thread\n",
             n_heads, d_head, tokens);
  fmt::print("kv heads     MiB  probe GB/s  decode ms   GB/s  share  gain  "
             "products ms  gain\n");
  double all = 0, all_products = 0;
  for (const Index n_kv_heads : {32, 16, 8, 4, 2, 1}) {
    const Measured m = measure(n_kv_heads, tokens, 9);
    if (n_kv_heads == 32) {
      all = m.decode;
      all_products = m.products;
    }
    const double bytes = static_cast<double>(m.bytes);
    fmt::print("{:8} {:7.1f} {:11.1f} {:10.3f} {:6.1f} {:4.0f} % {:5.1f} "
               "{:12.3f} {:5.1f}\n",
               n_kv_heads, bytes / 0x1p20, 1e-9 * bytes / m.probe,
               1e3 * m.decode, 1e-9 * bytes / m.decode,
               100 * m.probe / m.decode, all / m.decode, 1e3 * m.products,
               all_products / m.products);
  }
}
// [print measured]

}  // namespace bandwidth
