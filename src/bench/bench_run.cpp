#include "bench_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spread, median, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Speed, what, tokens, heads, causal, threads,
                                   gflops, share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Decode, what, kv_heads, tokens, mib,
                                   threads, gb_per_second, share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Memory, what, tokens, mib)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BenchRun, machine, date, compiler, torch,
                                   lanes, threads, peak_one, peak_all, read,
                                   ladder, layers, less, decode, memory)

Spread spread_of(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("nothing was measured");
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double part = place - std::floor(place);
    return values[below] + part * (values[above] - values[below]);
  };
  return {at(0.5), at(0.25), at(0.75)};
}

bool overlap(const Spread& a, const Spread& b) {
  return a.low <= b.high && b.low <= a.high;
}

std::string to_json(const BenchRun& run) { return json(run).dump(1); }

BenchRun read_run(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw std::invalid_argument(fmt::format(
        "{} cannot be read; ./mha bench --json {} writes it", path, path));
  }
  try {
    return json::parse(file).get<BenchRun>();
  } catch (const json::exception& error) {
    throw std::invalid_argument(fmt::format(
        "{} is not a run of this ./mha bench ({}); make it anew with "
        "./mha bench --json {}", path, error.what(), path));
  }
}

const Speed& find_speed(const std::vector<Speed>& speeds,
                        const std::string& what, std::int64_t tokens,
                        bool causal) {
  for (const Speed& speed : speeds) {
    if (speed.what == what && speed.tokens == tokens &&
        speed.causal == causal) {
      return speed;
    }
  }
  throw std::invalid_argument(
      fmt::format("the run has no {} at T = {}, {}", what, tokens,
                  causal ? "causal" : "full"));
}

}  // namespace bench
