/// \file svg.hpp
/// Figures: small SVG pictures that follow the page's colours.
#pragma once

#include "mha/matrix.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mha {

// [svg]
/// Collects the elements of one picture. Lengths are in pixels, y points down.
class Svg {
 public:
  /// \param title        one line: what it shows
  /// \param description  what a reader who cannot see it needs to know
  Svg(std::string title, std::string description);

  /// What is drawn until close_group() shares a style.
  /// \param style  presentation attributes, such as `fill="var(--heat)"`
  void open_group(std::string_view style);

  /// Ends the group opened last.
  void close_group();

  /// A filled rectangle with rounded corners.
  /// \param x        left edge
  /// \param y        upper edge
  /// \param width    width
  /// \param height   height
  /// \param style    presentation attributes, such as `fill="var(--heat)"`
  /// \param tooltip  text shown on hover; none when empty
  void rectangle(double x, double y, double width, double height,
                 std::string_view style, std::string_view tooltip = "");

  /// A line through points.
  /// \param points  x, y, x, y, …
  /// \param style   presentation attributes
  void line(const std::vector<double>& points, std::string_view style);

  /// A piece of text.
  /// \param x       anchor
  /// \param y       baseline
  /// \param text    what it says
  /// \param anchor  "start", "middle" or "end"; empty leaves it to the group
  /// \param style   presentation attributes
  void text(double x, double y, std::string_view text,
            std::string_view anchor = "", std::string_view style = "");

  /// \param width   of the picture
  /// \param height  of the picture
  /// \return the complete SVG element
  std::string finish(double width, double height) const;

 private:
  std::string title_;
  std::string description_;
  std::string body_;
};
// [svg]

// [heat map]
/// A table of numbers from 0 to 1 with names on its rows and columns.
struct HeatMap {
  std::string title;                 ///< above the table
  Matrix<float> values;              ///< one cell each
  std::vector<std::string> rows;     ///< names of the rows, on the left
  std::vector<std::string> columns;  ///< names of the columns, above
};

/// Draws heat maps side by side, two a line.
/// \param title        of the picture
/// \param description  of the picture
/// \param maps         the tables
/// \return the SVG
std::string draw_heat_maps(const std::string& title,
                           const std::string& description,
                           const std::vector<HeatMap>& maps);
// [heat map]

// [line chart]
/// One line of a chart.
struct Series {
  std::string name;       ///< written at its right end
  std::vector<double> y;  ///< one value a position
};

/// A chart of lines over shared positions, evenly spaced.
struct LineChart {
  std::string title;                ///< of the picture
  std::string description;          ///< of the picture
  std::string x_label;              ///< what the positions are
  std::string y_label;              ///< what the values are, with unit
  std::vector<std::string> x;       ///< name of each position
  std::vector<Series> series;       ///< the lines
  double highest = 1;               ///< top of the scale, which starts at 0
};

/// \param chart  what to draw
/// \return the SVG
std::string draw_line_chart(const LineChart& chart);
// [line chart]

}  // namespace mha
