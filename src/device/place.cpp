#include "device/place.hpp"

#include <fmt/format.h>

#include <cstring>

namespace device {

bool same_place(const Place& a, const Place& b) {
  return a.line == b.line &&
         (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

SourceLine source_line_of(const Place& place) {
  const char* slash = std::strrchr(place.file, '/');
  return {slash == nullptr ? place.file : slash + 1, place.line};
}

std::string to_text(const SourceLine& at) {
  return fmt::format("{}:{}", at.file, at.line);
}

}  // namespace device
