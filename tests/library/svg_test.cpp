// Figures: well-formed, with a title and a description, nothing unescaped.
#include "mha/svg.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using mha::HeatMap;
using mha::Index;
using mha::Matrix;

// A text that is read from the front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool skip(std::string_view piece) {
    if (!rest_.starts_with(piece)) return false;
    rest_.remove_prefix(piece.size());
    return true;
  }

  // Everything before the first of these characters; all if there is none.
  std::string_view until(std::string_view characters) {
    const std::string_view found =
        rest_.substr(0, rest_.find_first_of(characters));
    rest_.remove_prefix(found.size());
    return found;
  }

 private:
  std::string_view rest_;
};

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") ==
             std::string_view::npos;
}

// name='value', as often as it comes; the value has no < and no &.
bool skip_attributes(Reader& xml) {
  while (xml.skip(" ")) {
    const std::string_view name = xml.until("=>/ ");
    if (name.empty()) continue;
    if (!is_name(name) || !xml.skip("='")) return false;
    xml.until("'<&");
    if (!xml.skip("'")) return false;
  }
  return true;
}

// One tag; `open` are the elements that it may close.
bool skip_tag(Reader& xml, std::vector<std::string_view>& open) {
  const bool closes = xml.skip("/");
  const std::string_view name = xml.until(" />");
  if (!is_name(name)) return false;
  if (closes) {
    if (open.empty() || open.back() != name) return false;
    open.pop_back();
    return xml.skip(">");
  }
  if (!skip_attributes(xml)) return false;
  if (xml.skip("/>")) return true;
  open.push_back(name);
  return xml.skip(">");
}

// Where a piece of XML, as the figures write it, stops being well-formed, or
// nothing: elements nest, values are in single quotes, & begins an entity.
std::optional<std::string> xml_error(std::string_view text) {
  std::vector<std::string_view> open;
  Reader xml(text);
  while (!xml.at_end()) {
    xml.until("<&");
    const std::string_view here = xml.rest();
    const bool fine = xml.at_end() || xml.skip("&amp;") || xml.skip("&lt;") ||
                      xml.skip("&gt;") || xml.skip("&quot;") ||
                      (xml.skip("<") && skip_tag(xml, open));
    if (!fine) return "malformed at: " + std::string(here.substr(0, 60));
  }
  if (!open.empty()) return "not closed: " + std::string(open.back());
  return std::nullopt;
}

void check_well_formed(const std::string& svg) {
  CHECK(xml_error(svg).value_or("") == "");
  CHECK(
      svg.starts_with("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 "));
  CHECK(svg.ends_with("</svg>"));
  CHECK(svg.find("role='img'") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos;
       at = text.find(piece, at + 1)) {
    ++n;
  }
  return n;
}

HeatMap map_of(Index rows, Index cols, const std::string& title) {
  HeatMap map{title, Matrix<float>::Constant(rows, cols, 0.5F), {}, {}};
  for (Index i = 0; i < rows; ++i) map.rows.push_back(fmt::format("r{}", i));
  for (Index j = 0; j < cols; ++j) map.columns.push_back(fmt::format("c{}", j));
  return map;
}

// The number after `name=` and a quote, from position `at` on.
double attribute(const std::string& svg, const std::string& name,
                 std::size_t at = 0) {
  const std::string start = " " + name + "='";
  return std::stod(svg.substr(svg.find(start, at) + start.size()));
}

}  // namespace

TEST_CASE("the checker of this file finds what is not well-formed") {
  CHECK(xml_error("<a><b x='1'/></a>") == std::nullopt);
  CHECK(xml_error("<a>").has_value());
  CHECK(xml_error("<a></b>").has_value());
  CHECK(xml_error("<a>&</a>").has_value());
  CHECK(xml_error("<a x='<'/>").has_value());
  CHECK(xml_error("<a x=1/>").has_value());
  CHECK(xml_error("</a>").has_value());
  CHECK(xml_error("<a x='1/>").has_value());
  CHECK(xml_error("<a").has_value());
  CHECK(xml_error("a < b").has_value());
}

TEST_CASE("title, description, text and tooltip are escaped") {
  const std::string nasty = R"(a & b < c > d "e")";
  const std::string escaped = "a &amp; b &lt; c &gt; d &quot;e&quot;";
  mha::Svg svg("T: " + nasty, "D: " + nasty);
  svg.rectangle(1, 2, 3, 4, "fill='red'", "R: " + nasty);
  svg.text(5, 6, "X: " + nasty);
  const std::string xml = svg.finish(10, 20);
  check_well_formed(xml);
  CHECK(count(xml, "<title>T: " + escaped + "</title>") == 1);
  CHECK(count(xml, "<desc>D: " + escaped + "</desc>") == 1);
  CHECK(count(xml, "<title>R: " + escaped + "</title>") == 1);
  CHECK(count(xml, ">X: " + escaped + "</text>") == 1);
}

TEST_CASE("the picture's title and description come first") {
  mha::Svg svg("name", "what it shows");
  svg.rectangle(0, 0, 1, 1, "", "tooltip");
  const std::string xml = svg.finish(10, 20);
  CHECK(xml.find("<title>name</title>") < xml.find("<desc>"));
  CHECK(xml.find("<desc>what it shows</desc>") < xml.find("<rect"));
}

TEST_CASE("a line takes its points in pairs") {
  mha::Svg svg("t", "d");
  svg.line({0, 1, 25, 3}, "stroke='red'");
  std::string xml = svg.finish(10, 20);
  check_well_formed(xml);
  const std::size_t start = xml.find(" points='");
  REQUIRE(start != std::string::npos);
  std::replace(xml.begin(), xml.end(), ',', ' ');
  std::istringstream points(xml.substr(start + 9));
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, more = 0;
  REQUIRE((points >> x1 >> y1 >> x2 >> y2));
  CHECK(std::vector<double>{x1, y1, x2, y2} ==
        std::vector<double>{0, 1, 25, 3});
  CHECK_FALSE((points >> more));
}

TEST_CASE("a group holds what is drawn until it is closed") {
  mha::Svg svg("t", "d");
  svg.open_group("fill='red'");
  svg.text(1, 2, "inside");
  svg.close_group();
  svg.text(3, 4, "outside");
  const std::string xml = svg.finish(10, 20);
  check_well_formed(xml);
  CHECK(xml.find("<g fill='red'>") < xml.find("inside"));
  CHECK(xml.find("inside") < xml.find("</g>"));
  CHECK(xml.find("</g>") < xml.find("outside"));
}

TEST_CASE("one heat map, two or five are drawn cell by cell, inside") {
  for (const std::size_t n : {1U, 2U, 5U}) {
    std::vector<HeatMap> maps;
    for (std::size_t m = 0; m < n; ++m) {
      maps.push_back(map_of(3, 4, fmt::format("map <{}>", m)));
    }
    const std::string xml = mha::draw_heat_maps("title", "description", maps);
    check_well_formed(xml);
    CHECK(count(xml, "<rect ") == n * 12);
    CHECK(count(xml, "r2 to c3: 0.500") == n);
    for (std::size_t m = 0; m < n; ++m) {
      CHECK(count(xml, fmt::format("map &lt;{}&gt;", m)) == 1);
    }
    for (std::size_t at = xml.find("<rect"); at != std::string::npos;
         at = xml.find("<rect", at + 1)) {
      CHECK(attribute(xml, "x", at) + attribute(xml, "width", at) <=
            attribute(xml, "width"));
      CHECK(attribute(xml, "y", at) + attribute(xml, "height", at) <=
            attribute(xml, "height"));
    }
  }
}

TEST_CASE("two maps lie side by side, the third below the first") {
  const std::vector<HeatMap> maps(3, map_of(2, 2, "m"));
  const std::string one = mha::draw_heat_maps("t", "d", {maps[0]});
  const std::string three = mha::draw_heat_maps("t", "d", maps);
  CHECK(attribute(three, "width") == 2 * attribute(one, "width"));
  CHECK(attribute(three, "height") == 2 * attribute(one, "height"));
}

TEST_CASE("far from the corner, cells are as far apart as near it") {
  const std::string xml =
      mha::draw_heat_maps("t", "d", {map_of(1, 400, "wide")});
  std::vector<double> left;
  for (std::size_t at = xml.find("<rect"); at != std::string::npos;
       at = xml.find("<rect", at + 1)) {
    left.push_back(attribute(xml, "x", at));
  }
  REQUIRE(left.back() > 10'000);
  for (std::size_t j = 1; j < left.size(); ++j) {
    CHECK(left[j] - left[j - 1] == left[1] - left[0]);
  }
}

TEST_CASE("a map of one cell and a map of no cell are well-formed") {
  check_well_formed(mha::draw_heat_maps("t", "d", {map_of(1, 1, "m")}));
  check_well_formed(mha::draw_heat_maps("t", "d", {map_of(0, 0, "m")}));
}

TEST_CASE("a picture of no heat map is refused") {
  CHECK_THROWS_WITH_AS(mha::draw_heat_maps("t", "d", {}),
                       "a picture of heat maps needs at least 1 map",
                       std::invalid_argument);
}

TEST_CASE("a line chart draws every series and name") {
  const mha::LineChart chart = {.title = "title",
                                .description = "description",
                                .x_label = "x <",
                                .y_label = "y &",
                                .x = {"1", "2", "3"},
                                .series = {{"a", {0, 1, 2}},
                                           {"b", {2, 1, 0}},
                                           {"c", {1, 1, 1}},
                                           {"d", {0, 0, 0}}},
                                .highest = 2};
  const std::string xml = mha::draw_line_chart(chart);
  check_well_formed(xml);
  CHECK(count(xml, "<polyline") == 4 + 5);  // and five lines of the grid
  for (const char* name : {">a<", ">b<", ">c<", ">d<", "x &lt;", "y &amp;"}) {
    CHECK(count(xml, name) == 1);
  }
}

TEST_CASE("a chart whose series and positions do not match is refused") {
  mha::LineChart chart = {.title = "t",
                          .description = "d",
                          .x_label = "x",
                          .y_label = "y",
                          .x = {"1"},
                          .series = {}};
  CHECK_THROWS_WITH_AS(mha::draw_line_chart(chart),
                       "a line chart needs 2 positions, but has 1",
                       std::invalid_argument);
  chart.x = {"1", "2"};
  chart.series = {{"a", {1, 2, 3}}};
  CHECK_THROWS_WITH_AS(mha::draw_line_chart(chart),
                       "a has 3 values for 2 positions", std::invalid_argument);
}

TEST_CASE("a heat map with a name too many is refused") {
  HeatMap map = map_of(2, 2, "m");
  map.rows.push_back("r2");
  CHECK_THROWS_WITH_AS(
      mha::draw_heat_maps("t", "d", {map}),
      "a heat map of 2 x 2 numbers has 3 names of rows and 2 of columns",
      std::invalid_argument);
}
