/// \file at_width.hpp
/// Chooses among the code that one file has for several widths (chapter 6).
#pragma once

#include "mha/vector_widths.hpp"

#include <type_traits>

namespace mha {

// [at width]
/// Calls a function with a width as a constant. For files of a target whose
/// code is there in every width: CMake's add_wide_objects() sees to that.
/// \param lanes   one of vector_widths(), or 0 for the widest of them
/// \param choose  takes a std::integral_constant<int, lanes>
/// \return what it returns
/// \throws std::invalid_argument when this machine does not have that width
template <typename Choose>
auto at_width(int lanes, const Choose& choose) {
  const int width = width_here(lanes);
#ifdef MHA_X86_WIDTHS
  if (width == 16) return choose(std::integral_constant<int, 16>());
  if (width == 8) return choose(std::integral_constant<int, 8>());
#endif
  static_cast<void>(width);  // there is no other
  return choose(std::integral_constant<int, 4>());
}
// [at width]

}  // namespace mha
