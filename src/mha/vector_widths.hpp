/// \file vector_widths.hpp
/// How many floats a vector of this machine has (chapter 6).
#pragma once

#include <vector>

namespace mha {

// [vector widths]
/// \return the widths of vectors that this program has code for and this
///         machine can run, in floats, ascending: 4, and on x86-64 as it may be
///         8 (AVX2 and FMA) and 16 (AVX-512)
std::vector<int> vector_widths();

/// \param lanes  one of vector_widths(), or 0 for the widest of them
/// \return the width
/// \throws std::invalid_argument when this machine does not have it
int width_here(int lanes);
// [vector widths]

}  // namespace mha
