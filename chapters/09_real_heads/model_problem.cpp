#include "model_problem.hpp"

#include <nlohmann/json.hpp>

namespace trained {

// [shown]
std::string shown(std::string_view text) {
  constexpr std::size_t most = 120;
  std::string line;
  for (const char c : text.substr(0, most)) {
    line += c >= ' ' && c <= '~' ? c : '?';
  }
  return text.size() > most ? line + "..." : line;
}
// [shown]

// [parse json]
nlohmann::json parse_json(std::string_view text, const char* name) {
  using nlohmann::json;
  refuse_unless(std::ssize(text) <= most_json,
                "{} has more than {} bytes; fetch the model again", name,
                most_json);
  const auto not_too_deep = [&](int depth, json::parse_event_t, json&) {
    refuse_unless(depth <= deepest_json,
                  "{} is nested more than {} deep; fetch the model again",
                  name, deepest_json);
    return true;
  };
  try {
    return json::parse(text, not_too_deep);
  } catch (const json::exception& error) {
    throw ModelProblem(fmt::format("{} is not JSON; fetch the model again ({})",
                                   name, shown(error.what())));
  }
}
// [parse json]

}  // namespace trained
