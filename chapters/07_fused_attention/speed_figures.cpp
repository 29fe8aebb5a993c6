#include "speed_figures.hpp"

#include "bench_run.hpp"

#include "mha/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace fused {
namespace {

// [beside this file]
std::string beside_this_file(std::string_view name) {
  const std::string_view here = __FILE__;
  return fmt::format("{}/{}", here.substr(0, here.rfind('/')), name);
}
// [beside this file]

// [goals]
// The shares of the peak that we were after, in percent.
double goal(int tokens, bool causal) {
  if (!causal) return tokens == 512 ? 72 : 78;
  return tokens == 512 ? 62 : tokens == 1024 ? 70 : 75;
}
// [goals]

// [add shares]
constexpr int texts[] = {512, 1024, 2048, 4096};

void add_shares(mha::Values& values, const bench::BenchRun& run,
                const std::string& prefix) {
  for (const int tokens : texts) {
    for (const bool causal : {false, true}) {
      const bench::Speed& speed =
          bench::find_speed(run.layers, "fused", tokens, causal);
      const std::string name = fmt::format(
          "{}{}_{}", prefix, causal ? "causal" : "full", tokens);
      values.add(name, 100 * speed.share.median, "{:.0f}");
      values.add(name + "_low", 100 * speed.share.low, "{:.0f}");
      values.add(name + "_high", 100 * speed.share.high, "{:.0f}");
    }
  }
}
// [add shares]

}  // namespace

// [most missing]
double most_missing(const std::string& path) {
  const bench::BenchRun run = bench::read_run(path);
  double most = 0;
  for (const int tokens : texts) {
    for (const bool causal : {false, true}) {
      const double share =
          bench::find_speed(run.layers, "fused", tokens, causal).share.median;
      most = std::max(most, goal(tokens, causal) - 100 * share);
    }
  }
  return most;
}
// [most missing]

// [recorded runs]
std::string recorded_run() { return beside_this_file("measured_gcc.json"); }

std::string recorded_clang_run() {
  return beside_this_file("measured_clang.json");
}

std::string recorded_wide_run() {
  return beside_this_file("measured_wide_gcc.json");
}
// [recorded runs]

// [run values]
void add_run_values(mha::Values& values, const std::string& path) {
  const bench::BenchRun run = bench::read_run(path);
  values.add("peak_one", run.peak_one.median, "{:.0f}");
  values.add("peak_all", run.peak_all.median, "{:.0f}");
  values.add("threads", run.threads, "{:.0f}");
  values.add("read", run.read.median, "{:.0f}");
  add_shares(values, run, "");
  add_shares(values, bench::read_run(recorded_clang_run()), "clang_");
  const bench::BenchRun wide = bench::read_run(recorded_wide_run());
  add_shares(values, wide, "wide_");
  values.add("wide_peak_one", wide.peak_one.median, "{:.0f}");
  values.add("wide_most_missing", most_missing(recorded_wide_run()), "{:.0f}");
  for (const bench::Speed& speed : run.ladder) {
    if (speed.tokens != 1024) continue;
    std::string name = "step_" + speed.what;
    for (char& c : name) c = c == ' ' ? '_' : c;
    values.add(name, speed.gflops.median, "{:.0f}");
    values.add(name + "_share", 100 * speed.share.median, "{:.0f}");
  }
  // [run values]
  // [more run values]
  for (const bench::Speed& speed : run.less) {
    std::string name = fmt::format("{}_{}", speed.what, speed.tokens);
    for (char& c : name) c = c == ' ' ? '_' : c;
    values.add(name, 100 * speed.share.median, "{:.0f}");
    values.add(name + "_low", 100 * speed.share.low, "{:.0f}");
    values.add(name + "_high", 100 * speed.share.high, "{:.0f}");
  }
  for (const bench::Memory& memory : run.memory) {
    if (memory.tokens == 4096 || memory.tokens == 16384) {
      values.add(fmt::format("memory_{}_{}", memory.what, memory.tokens),
                 memory.mib, memory.mib < 10 ? "{:.1f}" : "{:.0f}");
    }
  }
}
// [more run values]

namespace {

// [chart on logarithms]
struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;  // (T, value)
  std::string_view style;
};

struct Chart {
  std::string title, description, y_label, machine;
  double low, high;  // powers of ten
  std::vector<Line> lines;
};

constexpr double left = 56, top = 52, width = 380, height = 300;

// Both axes are logarithms: T from 128, or 512, to its largest.
std::string draw(const Chart& chart, double from, double to) {
  const auto x = [&](double t) {
    return left + width * std::log2(t / from) / std::log2(to / from);
  };
  const auto y = [&](double value) {
    const double share = std::log(std::max(value, chart.low) / chart.low) /
                         std::log(chart.high / chart.low);
    return top + height * (1 - share);
  };
  constexpr std::string_view quiet = "fill='var(--quiet,#666)'";
  mha::Svg svg(chart.title, chart.description);
  svg.text(8, 16, chart.y_label, "", quiet);
  svg.text(8, 34, chart.machine, "", quiet);
  // [chart on logarithms]
  // [chart lines]
  for (double value = chart.low; value <= chart.high; value *= 10) {
    svg.line({left, y(value), left + width, y(value)},
             "stroke='var(--quiet,#666)' stroke-opacity='0.25'");
    svg.text(left - 8, y(value) + 4, fmt::format("{:g}", value), "end", quiet);
  }
  for (double t = from; t <= to; t *= 2) {
    svg.text(x(t), top + height + 20, fmt::format("{:.0f}", t), "middle",
             quiet);
  }
  svg.text(left + width / 2, top + height + 42, "T", "middle", quiet);
  double below = top + height + 20;  // names that would overlap move up
  for (const Line& line : chart.lines) {
    std::vector<double> points;
    for (const auto& [t, value] : line.points) {
      points.push_back(x(t));
      points.push_back(y(value));
    }
    svg.line(points, line.style);
    below = std::min(points.back() + 4, below - 15);
    svg.text(left + width + 8, below, line.name);
  }
  return svg.finish(left + width + 150, top + height + 54);
}
// [chart lines]

// [styles]
constexpr std::string_view styles[] = {
    "stroke='var(--quiet,#666)' stroke-width='2' stroke-dasharray='2 4'",
    "stroke='var(--mark,#b4540a)' stroke-width='2' stroke-dasharray='7 4'",
    "stroke='var(--heat,#2563a8)' stroke-width='2' stroke-dasharray='2 4'",
    "stroke='var(--heat,#2563a8)' stroke-width='2' stroke-dasharray='7 4'",
    "stroke='var(--mark,#b4540a)' stroke-width='2.5'",
    "stroke='var(--heat,#2563a8)' stroke-width='2.5'"};

std::string machine_of(const bench::BenchRun& run, int threads) {
  return fmt::format("{}, {} of {} threads, {}, {}", run.machine, threads,
                     run.threads, run.compiler, run.date);
}
// [styles]

}  // namespace

// [draw ladder]
std::string draw_ladder(const std::string& path) {
  const bench::BenchRun run = bench::read_run(path);
  Chart chart{"Speed of each step against the length of the text",
              "Two logarithmic axes. On long texts the naive layer is lowest. "
              "A key at a time lies above it, then tiles, which an "
              "exponential of our own and lanes that are queries leave about "
              "where they are; eight lanes are well above, and sixteen run "
              "close below the line of the machine's peak.",
              "GFLOP/s, one head of 64 columns, one thread",
              machine_of(run, 1), 1, 1000, {}};
  for (const bench::Speed& speed : run.ladder) {
    if (chart.lines.empty() || chart.lines.back().name != speed.what) {
      const auto at = std::find_if(
          chart.lines.begin(), chart.lines.end(),
          [&](const Line& line) { return line.name == speed.what; });
      if (at != chart.lines.end()) {
        at->points.emplace_back(speed.tokens, speed.gflops.median);
        continue;
      }
      chart.lines.push_back({speed.what, {}, styles[chart.lines.size() % 6]});
    }
    chart.lines.back().points.emplace_back(speed.tokens, speed.gflops.median);
  }
  // [draw ladder]
  // [draw peak]
  const double longest = chart.lines.front().points.back().first;
  chart.lines.push_back({"peak",
                         {{128, run.peak_one.median},
                          {longest, run.peak_one.median}},
                         "stroke='currentColor' stroke-width='1.5'"});
  std::sort(chart.lines.begin(), chart.lines.end(),
            [](const Line& a, const Line& b) {
              return a.points.back().second < b.points.back().second;
            });
  return draw(chart, 128, longest);
}
// [draw peak]

// [draw memory]
std::string draw_memory(const std::string& path) {
  const bench::BenchRun run = bench::read_run(path);
  if (run.memory.empty()) {
    throw std::invalid_argument(fmt::format(
        "{} has no memory in it; ./mha bench --memory --json {} measures it",
        path, path));
  }
  Chart chart{"Memory beside input and output against the length of the text",
              "Two logarithmic axes. The naive layer's memory grows with the "
              "square of the length. The fused attention's stays on the "
              "lowest line of the chart.",
              "MiB beyond input and output, one head of 64 columns",
              machine_of(run, 1), 0.1, 10000, {}};
  for (const char* what : {"fused", "naive"}) {
    Line line{what, {}, styles[chart.lines.empty() ? 5 : 4]};
    for (const bench::Memory& m : run.memory) {
      if (m.what == what) line.points.emplace_back(m.tokens, m.mib);
    }
    chart.lines.push_back(line);
  }
  return draw(chart, 512, chart.lines.front().points.back().first);
}
// [draw memory]

}  // namespace fused
