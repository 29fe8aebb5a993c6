// Chapter 9: refusing what a file of the model holds.
#pragma once

#include "mha/matrix.hpp"

#include <nlohmann/json_fwd.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace trained {

// [model problem]
using mha::Index;

// What is wrong with a file, and what to do, in one line.
class ModelProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename... Args>
void refuse_unless(bool holds, fmt::format_string<Args...> message,
                   Args&&... args) {
  if (!holds) {
    throw ModelProblem(fmt::format(message, std::forward<Args>(args)...));
  }
}

// Text from a file, fit to stand in a message: one line, not too long.
std::string shown(std::string_view text);
// [model problem]

// [json]
// No file of the model is as large, or lies as deep.
constexpr Index most_json = 1 << 20;
constexpr int deepest_json = 16;

// `name` is what messages call the file.
nlohmann::json parse_json(std::string_view text, const char* name);
// [json]

}  // namespace trained
