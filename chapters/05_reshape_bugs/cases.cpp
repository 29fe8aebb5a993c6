#include "cases.hpp"

#include <stdexcept>

namespace gallery {

// [all cases]
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> every;
    for (const auto& group :
         {layout_cases(), size_and_scale_cases(), mask_cases(),
          softmax_cases(), returned_cases()}) {
      every.insert(every.end(), group.begin(), group.end());
    }
    return every;
  }();
  return all;
}

const Case& case_named(const std::string& name) {
  for (const Case& one : cases()) {
    if (one.name == name) return one;
  }
  throw std::invalid_argument("there is no case " + name +
                              "; --cases lists them");
}
// [all cases]

}  // namespace gallery
