#include "exercise/device_exercise.hpp"
#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace on_cpu_device {
void row_sums(const float* table, std::int64_t rows, std::int64_t columns,
              float* out);
}

namespace {

// What is wrong with one call; empty when nothing is.
std::string fault(mha::Index rows, mha::Index columns, std::uint64_t seed) {
  mha::TorchGenerator generator(1);
  const mha::Matrix<float> table = generator.uniform(rows, columns, 1, 2);
  std::vector<float> sums;
  const device::Report report = device::observe({.seed = seed}, [&] {
    const device::DeviceArray<float> on_device(
        "table", std::vector<float>(table.data(), table.data() + table.size()));
    device::DeviceArray<float> out("out", rows);
    on_cpu_device::row_sums(on_device.data(), rows, columns, out.data());
    sums = out.to_host();
  });
  const std::string which = fmt::format("{} rows of {} numbers", rows, columns);
  if (!report.findings.empty()) {
    return fmt::format("{}: {}", which, report.findings.front().text);
  }
  for (mha::Index r = 0; r < rows; ++r) {
    const float sum = table.row(r).sum();
    if (!(std::abs(sums[static_cast<std::size_t>(r)] - sum) <= 1e-3F)) {
      return fmt::format("{}: the sum of row {} is {:.3f}, got {:.3f}", which,
                         r, sum, sums[static_cast<std::size_t>(r)]);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("every row is summed, whatever their number") {
  for (const mha::Index rows : {1, 3, 4, 5, 127, 129}) {
    const std::string found = fault(rows, 64, 0);
    mha::expect(found.empty(), fmt::format(
        "{}\nAre there enough blocks for the last rows, and does every warp "
        "ask whether its row is there?", found));
  }
}

TEST_CASE("rows of any length are summed") {
  for (const mha::Index columns : {1, 20, 31, 33, 100}) {
    const std::string found = fault(8, columns, 0);
    mha::expect(found.empty(), fmt::format(
        "{}\nWhich lanes have a number to add in the last round?", found));
  }
}

TEST_CASE("the order of the threads changes nothing") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string found = fault(9, 45, seed);
    mha::expect(found.empty(), found);
  }
}
