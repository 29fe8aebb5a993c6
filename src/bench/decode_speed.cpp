#include "decode_speed.hpp"

#include "machine.hpp"

#include "mha/generator.hpp"
#include "mha/kv_cache.hpp"
#include "mha/product_kernel.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace bench {
namespace {

using mha::Index;
constexpr Index n_heads = 32, d_head = 128;
constexpr float scale = 0.088388F;  // 1 / sqrt(128)

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The same two tokens by turns: how fast they are read does not depend on them.
mha::KvCache filled(Index kv_heads, Index tokens) {
  mha::KvCache cache({1, kv_heads, d_head, tokens});
  const mha::Matrix<float> rows =
      mha::TorchGenerator(0).normal(2, kv_heads * d_head);
  for (Index t = 0; t < tokens; ++t) {
    cache.append(0, rows.row(t % 2), rows.row(1 - t % 2));
  }
  return cache;
}

struct Reader {
  std::string what;
  std::function<void()> read;
  std::vector<double> gb_per_second = {}, shares = {};
};

std::function<void()> by_products(const mha::KvCache& cache,
                                  const mha::RowVector<float>& q) {
  const Index kv_heads = cache.shape().n_kv_heads, group = n_heads / kv_heads;
  return [&cache, &q, kv_heads, group,
          scores = mha::Matrix<float>(group, cache.held(0)),
          out = mha::RowVector<float>(q.size())]() mutable {
    for (Index g = 0; g < kv_heads; ++g) {
      const Index first = g * group * d_head;
      mha::attend_by_products(q.data() + first, group, d_head, scale,
                              cache.runs(0, g).front(), scores.data(),
                              out.data() + first);
    }
  };
}

}  // namespace

std::vector<Decode> measure_decode(const DecodeShape& shape, int threads,
                                   double seconds) {
  const Index bytes = shape.mib << 20;
  const Index tokens = bytes / (8 * shape.kv_heads * d_head);
  const mha::KvCache cache = filled(shape.kv_heads, tokens);
  const std::vector<float> others(static_cast<std::size_t>(bytes / 4), 1.0F);
  const auto q = mha::RowVector<float>::Constant(n_heads * d_head, 0.1F).eval();
  std::vector<Reader> readers = {{"fused", [&] {
    mha::decode(cache, 0, q, n_heads, scale, threads);
  }}};
  if (threads == 1) readers.push_back({"products", by_products(cache, q)});
  // A small cache is read several times, or the clock would be too coarse.
  const int times = static_cast<int>(std::max<Index>(1, 32 / shape.mib));
  const auto probe = [&] {
    double all = 0;
    for (int n = 0; n < times; ++n) all += seconds_to_read(others, threads);
    return all;
  };
  for (const Reader& reader : readers) reader.read();  // brings what it needs
  const double end = now() + seconds;
  double before = probe();
  for (int round = 0; round < 5 || (now() < end && round < 200); ++round) {
    for (Reader& reader : readers) {
      const double start = now();
      for (int n = 0; n < times; ++n) reader.read();
      const double taken = now() - start, after = probe();
      reader.gb_per_second.push_back(1e-9 * static_cast<double>(bytes * times) /
                                     taken);
      reader.shares.push_back((before + after) / 2 / taken);
      before = after;
    }
  }
  std::vector<Decode> all;
  for (const Reader& reader : readers) {
    all.push_back({reader.what, shape.kv_heads, tokens,
                   static_cast<double>(shape.mib), threads,
                   spread_of(reader.gb_per_second), spread_of(reader.shares)});
  }
  return all;
}

}  // namespace bench
