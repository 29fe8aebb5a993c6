// The numbers that the prose quotes, as JSON.
#include "mha/values.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <vector>

namespace {

nlohmann::ordered_json parse(const mha::Values& values) {
  return nlohmann::ordered_json::parse(values.json());
}

}  // namespace

TEST_CASE("values come back from JSON with number and text, in order") {
  mha::Values values;
  values.add("zebra", 2.98e-8, "{:.2e}");
  values.add("ant", 3, "{:.0f}");
  values.add("third", 1.0 / 3);
  const auto json = parse(values);
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"zebra", "ant", "third"});
  CHECK(json["zebra"]["number"].get<double>() == 2.98e-8);
  CHECK(json["zebra"]["text"] == "2.98e-08");
  CHECK(json["ant"]["text"] == "3");
}

TEST_CASE("a number comes back from JSON bit for bit") {
  for (const double number :
       {1.0 / 3, 0.1, -1e-300, 5e-324, 1.7976931348623157e308,
        9007199254740993.0, 0.0}) {
    mha::Values values;
    values.add("x", number);
    CHECK(parse(values)["x"]["number"].get<double>() == number);
  }
}

TEST_CASE("names and texts survive quotes, backslashes and accents") {
  mha::Values values;
  values.add("a \"b\" \\ é", 1, "{:.1f} \"x\" \\ µs");
  const auto json = parse(values);
  CHECK(json["a \"b\" \\ é"]["text"] == "1.0 \"x\" \\ µs");
}

TEST_CASE("no values are an empty object") {
  CHECK(parse(mha::Values{}) == nlohmann::ordered_json::object());
}

TEST_CASE("a name that is taken is refused and the first value stays") {
  mha::Values values;
  values.add("x", 1);
  CHECK_THROWS_WITH_AS(values.add("x", 2), "value x was added twice",
                       std::invalid_argument);
  CHECK(parse(values)["x"]["number"] == 1);
}

TEST_CASE("a number that is not finite is refused") {
  mha::Values values;
  using limits = std::numeric_limits<double>;
  CHECK_THROWS_WITH_AS(values.add("x", limits::quiet_NaN()),
                       "value x is nan, not a finite number",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(values.add("x", -limits::infinity()),
                       "value x is -inf, not a finite number",
                       std::invalid_argument);
  CHECK(parse(values).empty());
}

TEST_CASE("a format that does not fit a number is refused") {
  mha::Values values;
  CHECK_THROWS(values.add("x", 1, "{:d}"));
  CHECK_THROWS(values.add("x", 1, "{"));
}
