/// \file likely_thought.hpp
/// What a wrong answer to a predict exercise tells about its reader.
#pragma once

#include <string>

namespace mha {

/// Reads the lines "// wrong: NUMBERS | TEXT" in the comment that begins a
/// check (docs/architecture.md says how they are written). The page of the
/// exercise answers from the same lines.
/// \param answer      the reader's number, which is not right
/// \param check_file  the check's source, __FILE__
/// \return the text of the first line whose numbers the answer is among, or an
///         empty text
/// \throws std::invalid_argument when the file cannot be read, when a line is
///         not understood, or when it names a value that no program wrote
std::string likely_thought(double answer, const std::string& check_file);

}  // namespace mha
