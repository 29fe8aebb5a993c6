#include "exercise/exercise.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace mha {
namespace {

// build/<preset>/values/02_head_split.json for "02", or an empty path.
std::filesystem::path values_file(const std::string& chapter) {
  std::error_code missing;
  for (const auto& entry :
       std::filesystem::directory_iterator(MHA_VALUES_FOLDER, missing)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(chapter + "_") && name.ends_with(".json")) {
      return entry.path();
    }
  }
  return {};
}

std::string show_shape(const Matrix<double>& m) {
  return fmt::format("{} x {}", m.rows(), m.cols());
}

}  // namespace

double recorded_value(std::string_view name) {
  const std::size_t dot = name.find('.');
  require(name.starts_with("ch") && dot != std::string_view::npos,
          "{} is no name of a value; write it as ch02.parameters", name);
  const std::string chapter(name.substr(2, dot - 2));
  const std::string value(name.substr(dot + 1));
  const std::filesystem::path path = values_file(chapter);
  require(!path.empty(),
          "the values of chapter {} are not in {}; build the chapter's program",
          chapter, MHA_VALUES_FOLDER);
  std::ifstream file(path);
  const nlohmann::json values = nlohmann::json::parse(file, nullptr, false);
  require(values.is_object() && values.contains(value),
          "{} holds no value {}; add it to values() in the chapter's program",
          path.string(), value);
  return values[value]["number"].get<double>();
}

void expect(bool holds, const std::string& message) {
  REQUIRE_MESSAGE(holds, message);
}

std::string show(const Matrix<double>& matrix) {
  std::string text;
  for (Index i = 0; i < matrix.rows(); ++i) {
    text += i == 0 ? "(" : fmt::format("\n{:9}(", "");
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (j > 0) text += ", ";
      // Without the sign that a NaN may have.
      const double entry = matrix(i, j);
      text += std::isnan(entry) ? "nan" : fmt::format("{:.6g}", entry);
    }
    text += ")";
  }
  return text;
}

void expect_close(const Matrix<double>& got, const Matrix<double>& expected,
                  double tolerance, std::string_view given,
                  std::string_view lesson) {
  const bool same_shape =
      got.rows() == expected.rows() && got.cols() == expected.cols();
  expect(same_shape, fmt::format("{}\nexpected a result of {}, got one of {}.",
                                 given, show_shape(expected), show_shape(got)));
  expect(close(got, expected, tolerance),
         fmt::format("{}\nexpected {}\ngot      {}\n{}", given, show(expected),
                     show(got), lesson));
}

}  // namespace mha
