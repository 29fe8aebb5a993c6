#include "on_cpu.hpp"

#include "mha/generator.hpp"
#include "mha/grouped_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cuda_port {

// [run on cpu]
Observed run_on_cpu(const Step& step, const Sizes& sizes, const Arrays& arrays,
                    std::uint64_t seed) {
  Observed seen;
  seen.report = device::observe({.seed = seed}, [&] {
    seen.output = on_cpu_device::attend(step, sizes, arrays);
  });
  return seen;
}
// [run on cpu]

namespace {

// [rows of a table]
using Table = mha::Matrix<double>;

// Numbers in rows of so many columns, in double precision.
Table table(const std::vector<float>& numbers, Index columns) {
  const Index rows = std::ssize(numbers) / columns;
  return Eigen::Map<const mha::Matrix<float>>(numbers.data(), rows, columns)
      .cast<double>();
}

std::vector<float> normals(mha::TorchGenerator& generator, Index rows,
                           Index columns, bool half_precision) {
  const mha::Matrix<float> all = generator.normal(rows, columns);
  std::vector<float> numbers(all.data(), all.data() + all.size());
  if (half_precision) {
    for (float& x : numbers) x = static_cast<float>(on_cpu_device::__nv_bfloat16(x));
  }
  return numbers;
}
// [rows of a table]

}  // namespace

// [arrays]
Arrays random_arrays(const Step& step, const Sizes& s, std::uint32_t seed) {
  check_sizes(s);
  mha::TorchGenerator generator(seed);
  const bool half = step.half_precision;
  const Index kv = s.kv_heads * s.width;
  Arrays arrays;
  arrays.q = normals(generator, s.batch * s.queries, s.heads * s.width, half);
  arrays.k = normals(generator, s.batch * s.keys, kv, half);
  arrays.v = normals(generator, s.batch * s.keys, kv, half);
  return arrays;
}
// [arrays]

// [definition]
std::vector<double> by_definition(const Sizes& s, const Arrays& arrays) {
  const Table q = table(arrays.q, s.heads * s.width);
  const Table k = table(arrays.k, s.kv_heads * s.width);
  const Table v = table(arrays.v, s.kv_heads * s.width);
  mha::AttentionOptions options;
  options.scale = static_cast<double>(s.scale);
  if (s.causal) options.causal = mha::Causal::bottom_right;
  std::vector<double> wanted;
  for (Index b = 0; b < s.batch; ++b) {
    const Table one = mha::grouped_attention<double>(
        q.middleRows(b * s.queries, s.queries),
        k.middleRows(b * s.keys, s.keys), v.middleRows(b * s.keys, s.keys),
        s.heads, s.kv_heads, options);
    wanted.insert(wanted.end(), one.data(), one.data() + one.size());
  }
  return wanted;
}
// [definition]

// [differences]
double largest_difference(const std::vector<float>& got,
                          const std::vector<double>& wanted) {
  mha::require(got.size() == wanted.size(), "{} numbers came, but {} are due",
               got.size(), wanted.size());
  double largest = 0;
  for (std::size_t n = 0; n < got.size(); ++n) {
    const double apart = std::abs(static_cast<double>(got[n]) - wanted[n]);
    if (!(apart <= largest)) largest = apart;  // NaN too
    if (std::isnan(largest)) break;
  }
  return largest;
}

double tolerance(const Step& step) {
  // Values stay below 5; rounding to bfloat16 moves one by at most 2^-8 of it.
  return step.half_precision ? 5.0 / 256 : 5e-6;
}

const Step& step_named(const std::string& name) {
  static const std::vector<Step> steps = on_cpu_device::ladder();
  const auto at = std::find_if(steps.begin(), steps.end(),
                               [&](const Step& s) { return s.name == name; });
  std::string names;
  for (const Step& step : steps) {
    names += (names.empty() ? "" : ", ") + step.name;
  }
  mha::require(at != steps.end(), "there is no kernel {}; there are {}", name,
               names);
  return *at;
}
// [differences]

// [run case]
CaseResult run_case(const KernelCase& one, Index queries, Index keys,
                    std::uint64_t seed) {
  mha::TorchGenerator generator(8);
  // Keys that point away from all queries: the highest score is below zero.
  Problem problem{normals(generator, queries, 8, false),
                  normals(generator, keys, 8, false)};
  for (float& x : problem.q) x = std::abs(x);
  for (float& x : problem.k) x = -std::abs(x);
  const Table scores =
      table(problem.q, 8) * table(problem.k, 8).transpose();
  CaseResult result;
  std::vector<float> got;
  const device::Report report = device::observe(
      {.seed = seed}, [&] { got = one.run(problem); });
  result.findings = report.findings;
  const Eigen::VectorXd highest = scores.rowwise().maxCoeff();
  result.difference = largest_difference(
      got, {highest.data(), highest.data() + highest.size()});
  for (const device::LaunchCounts& launch : report.launches) {
    result.segments = static_cast<double>(launch.global.store_segments) /
                      static_cast<double>(launch.global.store_requests);
  }
  return result;
}
// [run case]

// [fault of]
std::string fault_of(const KernelCase& one, std::uint64_t seed) {
  const CaseResult result = run_case(one, 100, 150, seed);
  if (!result.findings.empty()) return result.findings.front().text;
  if (!(result.difference <= 1e-5)) {
    return std::isnan(result.difference)
               ? "rows that nobody wrote"
               : fmt::format("wrong by {:.2g}", result.difference);
  }
  return result.segments > 16
             ? fmt::format("{:.0f} segments a store", result.segments)
             : "";
}

const KernelCase& case_named(const std::string& name) {
  static const std::vector<KernelCase> cases = on_cpu_device::kernel_cases();
  const auto at =
      std::find_if(cases.begin(), cases.end(),
                   [&](const KernelCase& c) { return c.name == name; });
  mha::require(at != cases.end(),
               "there is no kernel {}; --cases lists them", name);
  return *at;
}
// [fault of]

}  // namespace cuda_port
