/// \file values.hpp
/// The numbers that the prose quotes.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace mha {

// [values]
/// Named numbers of one run, each with the text the prose shows.
class Values {
 public:
  /// \param name    as the prose writes it, without the chapter
  /// \param number  must be finite
  /// \param format  fmt format of the text, such as "{:.3f}"
  /// \throws std::invalid_argument when the name is taken or the number is
  ///         not finite
  void add(std::string_view name, double number,
           std::string_view format = "{}");

  /// \return the values as a JSON object, in the order they were added
  std::string json() const;

 private:
  struct Value {
    std::string name;
    double number;
    std::string text;
  };
  std::vector<Value> values_;
};
// [values]

}  // namespace mha
