/// \file place.hpp
/// A place in a kernel's source that the compiler knows.
#pragma once

#include "device/finding.hpp"

namespace device {

/// Where a barrier or a shuffle stands.
struct Place {
  const char* file = "";
  int line = 0;
};

/// \param a  a place
/// \param b  another
/// \return whether they are the same
bool same_place(const Place& a, const Place& b);

/// \param place  as the compiler has it
/// \return the same without folders
SourceLine source_line_of(const Place& place);

/// \param at  a line
/// \return "kernels.cu:41"
std::string to_text(const SourceLine& at);

}  // namespace device
