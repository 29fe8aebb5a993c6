#include "exercise/device_exercise.hpp"
#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <numeric>

namespace on_cpu_device {
void turn_over(const float* from, float* to);
}

namespace {

struct Run {
  std::vector<float> to;
  device::Report report;
};

Run run(std::uint64_t seed) {
  std::vector<float> from(64 * 64);
  std::iota(from.begin(), from.end(), 0.0F);
  Run run;
  run.report = device::observe({.seed = seed}, [&] {
    const device::DeviceArray<float> source("from", from);
    device::DeviceArray<float> to("to", 64 * 64);
    device::launch("turn_over", on_cpu_device::turn_over,
                   device::LaunchShape{{2, 2}, {32, 8}}, source.data(),
                   to.data());
    run.to = to.to_host();
  });
  return run;
}

}  // namespace

TEST_CASE("rows and columns are exchanged, and nothing is found") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Run one = run(seed);
    mha::expect(one.report.findings.empty(),
                one.report.findings.empty()
                    ? "" : one.report.findings.front().text);
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 64; ++x) {
        const float got = one.to[static_cast<std::size_t>(x * 64 + y)];
        mha::expect(got == static_cast<float>(y * 64 + x),
                    fmt::format("row {}, column {} should hold {}, holds {}",
                                x, y, y * 64 + x, got));
      }
    }
  }
}

TEST_CASE("no request is wider than it must be") {
  const Run one = run(0);
  mha::expect(one.report.launches.size() == 1, "nothing was launched");
  const device::Traffic& t = one.report.launches[0].global;
  mha::expect(t.load_segments == 4 * t.load_requests &&
                  t.store_segments == 4 * t.store_requests,
              fmt::format("{:.0f} segments a load and {:.0f} a store, where 4 "
                          "will do.\nWhich lanes of a warp have neighbouring "
                          "columns of `from`, and which of `to`?",
                          static_cast<double>(t.load_segments) /
                              static_cast<double>(t.load_requests),
                          static_cast<double>(t.store_segments) /
                              static_cast<double>(t.store_requests)));
}

TEST_CASE("no request to shared memory waits for a bank") {
  const Run one = run(0);
  mha::expect(one.report.launches.size() == 1, "nothing was launched");
  const device::Traffic& t = one.report.launches[0].shared;
  mha::expect(t.bank_passes == t.load_requests + t.store_requests,
              fmt::format("{} passes for {} requests\nIn which bank does word "
                          "(y, x) of your square lie?", t.bank_passes,
                          t.load_requests + t.store_requests));
}
