#include "diagnose/tensor_problem.hpp"

#include <algorithm>

namespace diagnose {
namespace {

constexpr std::size_t longest_shown = 200;

unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

// How many bytes the character at `place` has when it is printable UTF-8, or 0.
// The code points from 0x80 to 0x9f are control characters as well, and those
// from 0x202a to 0x202e and 0x2066 to 0x2069 turn the direction of writing.
std::size_t character_length(std::string_view text, std::size_t place) {
  const unsigned first = byte_at(text, place);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || place + length > text.size()) return 0;
  unsigned code = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, place + i);
    if ((next & 0xc0) != 0x80) return 0;
    code = (code << 6) | (next & 0x3f);
  }
  constexpr unsigned least[] = {0, 0, 0xa0, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool turns =
      (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const bool breaks_line = code == 0x2028 || code == 0x2029;
  return code < least[length] || code > 0x10ffff || is_surrogate || turns ||
                 breaks_line
             ? 0
             : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t place = 0; place < text.size();) {
    if (shown.size() >= longest_shown) return shown + "...";
    const std::size_t length = character_length(text, place);
    shown += length > 0 ? std::string(text.substr(place, length))
                        : fmt::format("\\x{:02x}", byte_at(text, place));
    place += std::max<std::size_t>(length, 1);
  }
  return shown;
}

std::string printable(std::span<const std::ptrdiff_t> shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0])
                           : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace diagnose
