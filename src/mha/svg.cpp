#include "mha/svg.hpp"

#include <algorithm>
#include <cmath>

namespace mha {
namespace {

// [escape]
std::string escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}
// [escape]

// [each cell]
// Calls draw(row, column, value, "row to column") for every cell.
template <typename Draw>
void for_each_cell(const HeatMap& map, Draw draw) {
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      draw(static_cast<double>(i), static_cast<double>(j),
           map.values(static_cast<Index>(i), static_cast<Index>(j)),
           fmt::format("{} to {}", map.rows[i], map.columns[j]));
    }
  }
}
// [each cell]

// [heat cell]
constexpr std::string_view quiet = "fill='var(--quiet,#666)'";
constexpr double cell = 38;

// The weight sets how opaque the colour is, so one picture serves a light and
// a dark page; the number turns to the page's colour where the cell is strong.
void draw_cells(Svg& svg, const HeatMap& map, double x0, double y0) {
  svg.open_group("fill='var(--heat,#2563a8)'");
  for_each_cell(map, [&](double i, double j, float value, const auto& name) {
    svg.rectangle(x0 + cell * j, y0 + cell * i, cell - 2, cell - 2,
                  fmt::format("fill-opacity='{:.2f}'", 0.06 + 0.94 * value),
                  fmt::format("{}: {:.3f}", name, value));
  });
  svg.close_group();
  svg.open_group("font-size='11' text-anchor='middle'");
  for_each_cell(map, [&](double i, double j, float value, const auto&) {
    svg.text(x0 + cell * (j + 0.5) - 1, y0 + cell * (i + 0.5) + 3,
             fmt::format("{:.2f}", value), "",
             value > 0.62F ? "fill='var(--paper,#fff)'" : "");
  });
  svg.close_group();
}
// [heat cell]

// [one map]
void draw_map(Svg& svg, const HeatMap& map, double left, double top,
              double row_names) {
  svg.text(left, top + 14, map.title, "", "font-weight='600'");
  const double x0 = left + row_names;
  const double y0 = top + 46;
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    svg.text(x0 + cell * (static_cast<double>(j) + 0.5) - 1, y0 - 7,
             map.columns[j], "middle", quiet);
  }
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    svg.text(x0 - 8, y0 + cell * (static_cast<double>(i) + 0.5) + 3,
             map.rows[i], "end", quiet);
  }
  draw_cells(svg, map, x0, y0);
}
// [one map]

}  // namespace

// [svg body]
Svg::Svg(std::string title, std::string description)
    : title_(std::move(title)), description_(std::move(description)) {}

void Svg::open_group(std::string_view style) {
  body_ += fmt::format("<g {}>\n", style);
}

void Svg::close_group() { body_ += "</g>\n"; }

void Svg::rectangle(double x, double y, double width, double height,
                    std::string_view style, std::string_view tooltip) {
  body_ += fmt::format(
      "<rect x='{:.6g}' y='{:.6g}' width='{:.6g}' height='{:.6g}' rx='3' {}>",
      x, y, width, height, style);
  if (!tooltip.empty()) {
    body_ += fmt::format("<title>{}</title>", escape(tooltip));
  }
  body_ += "</rect>\n";
}

void Svg::line(const std::vector<double>& points, std::string_view style) {
  body_ += "<polyline fill='none' points='";
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    body_ += fmt::format("{:.6g},{:.6g} ", points[i], points[i + 1]);
  }
  body_ += fmt::format("' {}/>\n", style);
}

void Svg::text(double x, double y, std::string_view text,
               std::string_view anchor, std::string_view style) {
  body_ += fmt::format("<text x='{:.6g}' y='{:.6g}'", x, y);
  if (!anchor.empty()) body_ += fmt::format(" text-anchor='{}'", anchor);
  if (!style.empty()) body_ += fmt::format(" {}", style);
  body_ += fmt::format(">{}</text>\n", escape(text));
}

std::string Svg::finish(double width, double height) const {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {:.0f} {:.0f}' "
      "width='{:.0f}' height='{:.0f}' role='img' font-size='13' "
      "font-family='system-ui, sans-serif' fill='var(--ink,#222)'>"
      "\n<title>{}</title>\n<desc>{}</desc>\n{}</svg>",
      width, height, width, height, escape(title_), escape(description_),
      body_);
}
// [svg body]

// [maps]
std::string draw_heat_maps(const std::string& title,
                           const std::string& description,
                           const std::vector<HeatMap>& maps) {
  require(!maps.empty(), "a picture of heat maps needs at least 1 map");
  for (const HeatMap& map : maps) {
    require(std::ssize(map.rows) == map.values.rows() &&
                std::ssize(map.columns) == map.values.cols(),
            "a heat map of {} x {} numbers has {} names of rows and {} of "
            "columns", map.values.rows(), map.values.cols(), map.rows.size(),
            map.columns.size());
  }
  Svg svg(title, description);
  std::size_t longest = 0;
  for (const HeatMap& map : maps) {
    for (const std::string& row : map.rows) {
      longest = std::max(longest, row.size());
    }
  }
  const double row_names = 14 + 7 * static_cast<double>(longest);
  const double width =
      row_names + cell * static_cast<double>(maps[0].values.cols()) + 24;
  const double height =
      cell * static_cast<double>(maps[0].values.rows()) + 70;
  const double across = maps.size() == 1 ? 1 : 2;
  const double down = std::ceil(static_cast<double>(maps.size()) / across);
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const double column = std::fmod(static_cast<double>(m), across);
    const double line = std::floor(static_cast<double>(m) / across);
    draw_map(svg, maps[m], width * column, height * line, row_names);
  }
  return svg.finish(width * across, height * down);
}
// [maps]

// [chart]
std::string draw_line_chart(const LineChart& chart) {
  require(chart.x.size() >= 2, "a line chart needs 2 positions, but has {}",
          chart.x.size());
  constexpr double left = 56, top = 34, width = 420, height = 220;
  const double step = width / static_cast<double>(chart.x.size() - 1);
  Svg svg(chart.title, chart.description);
  svg.text(8, 16, chart.y_label, "", quiet);
  for (int tick = 0; tick <= 4; ++tick) {
    const double y = top + height * (1 - tick / 4.0);
    svg.line({left, y, left + width, y},
             "stroke='var(--quiet,#666)' stroke-opacity='0.25'");
    svg.text(left - 8, y + 4,
             fmt::format("{:.3g}", chart.highest * tick / 4), "end", quiet);
  }
  for (std::size_t i = 0; i < chart.x.size(); ++i) {
    svg.text(left + step * static_cast<double>(i), top + height + 20,
             chart.x[i], "middle", quiet);
  }
  svg.text(left + width / 2, top + height + 42, chart.x_label, "middle", quiet);
  // [chart]
  // [chart lines]
  constexpr std::string_view colours[] = {
      "stroke='var(--heat,#2563a8)' stroke-width='2.5'",
      "stroke='var(--mark,#b4540a)' stroke-width='2.5' stroke-dasharray='7 4'",
      "stroke='var(--quiet,#666)' stroke-width='2' stroke-dasharray='2 4'"};
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const std::vector<double>& y = chart.series[s].y;
    require(y.size() == chart.x.size(), "{} has {} values for {} positions",
            chart.series[s].name, y.size(), chart.x.size());
    std::vector<double> points;
    for (std::size_t i = 0; i < y.size(); ++i) {
      points.push_back(left + step * static_cast<double>(i));
      points.push_back(top + height * (1 - y[i] / chart.highest));
    }
    svg.line(points, colours[s % std::size(colours)]);
    svg.text(left + width + 8, points.back() + 4, chart.series[s].name);
  }
  return svg.finish(left + width + 150, top + height + 54);
}
// [chart lines]

}  // namespace mha
