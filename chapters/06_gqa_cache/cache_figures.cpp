#include "cache_figures.hpp"

#include "cache_sizes.hpp"

#include "mha/grouped_attention.hpp"
#include "mha/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace caches {
namespace {

// [style]
using mha::Index;

constexpr const char* quiet = "fill='var(--quiet,#666)'";
constexpr const char* strong = "fill='var(--heat,#2563a8)'";
constexpr const char* weak =
    "fill='var(--heat,#2563a8)' fill-opacity='0.25'";
constexpr const char* thin = "stroke='var(--quiet,#666)' stroke-width='1.5'";
// [style]

// [draw one design]
// `n` query heads above, their key/value heads below.
void draw_design(mha::Svg& svg, const char* name, Index n, Index n_kv,
                 double top) {
  constexpr double left = 16, step = 36, size = 24;
  svg.text(left, top + 12, name);
  for (Index h = 0; h < n; ++h) {
    const double x = left + step * static_cast<double>(h);
    const Index g = mha::kv_head_of(h, n, n_kv);
    // In the middle of the heads that share it.
    const double group = static_cast<double>(n / n_kv);
    const double kx =
        left + step * (group * static_cast<double>(g) + (group - 1) / 2);
    svg.line({x + size / 2, top + 22 + size, kx + size / 2, top + 76}, thin);
    svg.rectangle(x, top + 22, size, size, weak, fmt::format("query {}", h));
    svg.rectangle(kx, top + 76, size, size, strong,
                  fmt::format("keys and values {}", g));
  }
}
// [draw one design]

}  // namespace

// [draw sharing]
std::string draw_sharing() {
  mha::Svg svg("Who shares keys and values",
               "Eight query heads, three times. With eight key/value heads, "
               "each has its own. With two, heads 0 to 3 share the first and 4 "
               "to 7 the second. With one, all share it.");
  draw_design(svg, "multi-head: 8 queries, 8 keys and values", 8, 8, 0);
  draw_design(svg, "grouped-query: 2 keys and values", 8, 2, 124);
  draw_design(svg, "multi-query: 1", 8, 1, 248);
  return svg.finish(320, 356);
}
// [draw sharing]

// [draw ring]
std::string draw_ring() {
  constexpr double left = 76, top = 40, cell = 40;
  constexpr Index tokens = 8, slots = 3;
  mha::Svg svg("A ring of three slots",
               "Eight rows, one for each new token. Token t goes to slot t mod "
               "3, over the token that was there. From token 2 on, the three "
               "slots hold the last three tokens.");
  svg.text(left, 16, "slot", "", quiet);
  for (Index s = 0; s < slots; ++s) {
    svg.text(left + cell * (static_cast<double>(s) + 0.45), top - 8,
             fmt::format("{}", s), "middle", quiet);
  }
  for (Index t = 0; t < tokens; ++t) {
    const double y = top + 30 * static_cast<double>(t);
    svg.text(left - 8, y + 18, fmt::format("token {}", t), "end", quiet);
    for (Index p = std::max<Index>(0, t - slots + 1); p <= t; ++p) {
      const double x = left + cell * static_cast<double>(p % slots);
      svg.rectangle(x, y, cell - 4, 26, p == t ? strong : weak);
      svg.text(x + cell / 2 - 2, y + 18, fmt::format("{}", p), "middle",
               p == t ? "fill='var(--paper,#fff)'" : "");
    }
  }
  return svg.finish(left + cell * slots + 20, top + 30 * tokens + 8);
}
// [draw ring]

// [draw growth]
std::string draw_growth() {
  mha::LineChart chart;
  chart.title = "The cache of one text";
  chart.x_label = "tokens";
  chart.y_label = "GiB";
  chart.highest = 16;
  chart.series = {{"Llama 2 7B, MHA", {}},
                  {"Llama 3 8B, GQA", {}},
                  {"Mistral 7B, window", {}}};
  for (const Index tokens : {0, 8192, 16384, 24576, 32768}) {
    chart.x.push_back(tokens == 0 ? std::string("0")
                                  : fmt::format("{}k", tokens / 1024));
    for (std::size_t i = 0; i < 3; ++i) {
      const char* name =
          std::array{"Llama 2 7B", "Llama 3 8B", "Mistral 7B"}[i];
      chart.series[i].y.push_back(
          static_cast<double>(sizes::cache_bytes(
              mha::model_named(name), sizes::served_named(name), tokens)) /
          0x1p30);
    }
  }
  chart.description = fmt::format(
      "GiB over 0 to 32k tokens. Llama 2 7B grows to {:.0f}, Llama 3 8B, with "
      "a quarter of the key/value heads, to {:.0f}, and Mistral 7B, whose "
      "window is 4,096 tokens, stays at {:.1f}.",
      chart.series[0].y.back(), chart.series[1].y.back(),
      chart.series[2].y.back());
  return mha::draw_line_chart(chart);
}
// [draw growth]

}  // namespace caches
