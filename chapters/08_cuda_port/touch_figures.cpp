#include "touch_figures.hpp"

#include "mha/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cuda_port {
namespace {

// [touched]
// The words of 4 bytes that one request uses, by segment of 32 bytes.
std::map<Index, std::set<Index>> touched(const device::Sample& sample) {
  std::map<Index, std::set<Index>> segments;
  for (const std::int64_t offset : sample.offsets) {
    if (offset < 0) continue;
    for (Index byte = 0; byte < sample.bytes; ++byte) {
      segments[(offset + byte) / 32].insert((offset + byte) % 32 / 4);
    }
  }
  return segments;
}

std::string words_of(const std::map<Index, std::set<Index>>& segments) {
  Index words = 0;
  for (const auto& [segment, used] : segments) words += std::ssize(used);
  return fmt::format("{} segment{}, {} of {} words", segments.size(),
                     segments.size() == 1 ? "" : "s", words,
                     8 * std::ssize(segments));
}
// [touched]

}  // namespace

// [segments of]
Index segments_of(const device::Sample& sample) {
  return std::ssize(touched(sample));
}
// [segments of]

namespace {

// [rows of a step]
struct Row {
  std::string label;
  std::map<Index, std::set<Index>> segments;
};

std::vector<Row> rows_of(const Step& step) {
  const Sizes s{.heads = 2, .kv_heads = 2, .queries = 64, .keys = 64};
  std::vector<Row> rows;
  for (const device::LaunchCounts& launch :
       run_on_cpu(step, s, random_arrays(step, s, 0)).report.launches) {
    for (const device::LineCounts& line : launch.lines) {
      for (const device::Sample& sample : line.samples) {
        const std::string label = fmt::format(
            "{} {}, line {}", sample.writes ? "writes" : "reads",
            sample.memory, line.at.line);
        // A compiler may have unrolled the line's loop.
        const bool again = std::any_of(
            rows.begin(), rows.end(),
            [&](const Row& row) { return row.label == label; });
        if (!sample.shared && !again) rows.push_back({label, touched(sample)});
      }
    }
  }
  return rows;
}
// [rows of a step]

}  // namespace

// [draw touches]
std::string draw_touches(const Step& step) {
  constexpr double left = 168, top = 8, row_height = 34;
  constexpr double word = 1.75, segment = 8 * word + 2.5;
  const std::vector<Row> rows = rows_of(step);
  std::string description = fmt::format(
      "One request of a warp for each line of the kernels of the step {}. ",
      step.name);
  for (const Row& row : rows) {
    description += fmt::format("{}: {}. ", row.label, words_of(row.segments));
  }
  mha::Svg svg(fmt::format("What a warp touches: {}", step.name), description);
  double y = top;
  for (const Row& row : rows) {
    svg.text(left - 8, y + 13, row.label, "end");
    svg.text(left, y + 28, words_of(row.segments), "",
             "fill='var(--quiet,#666)'");
    double x = left;
    for (const auto& [number, used] : row.segments) {
      svg.rectangle(x, y + 2, 8 * word, 12,
                    "fill='var(--quiet,#666)' fill-opacity='0.18'");
      for (const Index n : used) {
        svg.rectangle(x + word * static_cast<double>(n), y + 2, word, 12,
                      "fill='var(--heat,#2563a8)'");
      }
      x += segment;
    }
    y += row_height;
  }
  return svg.finish(left + 32 * segment + 8, y + 4);
}
// [draw touches]

}  // namespace cuda_port
