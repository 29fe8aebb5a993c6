#include "exercise/device_exercise.hpp"
#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace on_cpu_device {
void add_products(const float* q, const float* k, int keys, float* out);
}

namespace {

std::string fault(mha::Index keys, std::uint64_t seed) {
  mha::TorchGenerator generator(2);
  const auto numbers = [&](mha::Index count) {
    const mha::Matrix<float> all = generator.uniform(1, count, 1, 2);
    return std::vector<float>(all.data(), all.data() + all.size());
  };
  const std::vector<float> q = numbers(64), k = numbers(keys);
  std::vector<float> sums;
  const device::Report report = device::observe({.seed = seed}, [&] {
    const device::DeviceArray<float> of_q("q", q), of_k("k", k);
    device::DeviceArray<float> out("out", 64);
    device::launch("add_products", on_cpu_device::add_products,
                   device::LaunchShape{{1}, {64}}, of_q.data(), of_k.data(),
                   static_cast<int>(keys), out.data());
    sums = out.to_host();
  });
  if (!report.findings.empty()) return report.findings.front().text;
  const float all = std::accumulate(k.begin(), k.end(), 0.0F);
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(std::abs(sums[i] - q[i] * all) <= 1e-2F)) {
      return fmt::format("{} keys: query {} should have {:.3f}, got {:.3f}",
                         keys, i, q[i] * all, sums[i]);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("no schedule finds a race or a wrong number") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string found = fault(200, seed);
    mha::expect(found.empty(), fmt::format(
        "threads in order {}: {}\nOne thread may be a whole round ahead of "
        "another. What must all of them have done before a tile is written "
        "again?", seed, found));
  }
}

TEST_CASE("any number of keys is right") {
  for (const mha::Index keys : {1, 63, 64, 65, 300}) {
    const std::string found = fault(keys, 0);
    mha::expect(found.empty(), found);
  }
}
