#include "mha/values.hpp"

#include "mha/matrix.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace mha {

// [values add]
void Values::add(std::string_view name, double number,
                 std::string_view format) {
  require(std::isfinite(number), "value {} is {}, not a finite number", name,
          number);
  for (const Value& value : values_) {
    require(value.name != name, "value {} was added twice", name);
  }
  values_.push_back({std::string(name), number,
                     fmt::format(fmt::runtime(format), number)});
}

std::string Values::json() const {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const Value& value : values_) {
    object[value.name] = {{"number", value.number}, {"text", value.text}};
  }
  return object.dump(2);
}
// [values add]

}  // namespace mha
