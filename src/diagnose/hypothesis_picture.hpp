/// \file hypothesis_picture.hpp
/// How far each hypothesis is from an output, as a picture.
#pragma once

#include "reading.hpp"

#include <string>
#include <vector>

namespace diagnose {

/// What somebody's attention took and gave.
struct NamedRoles {
  std::string name;  ///< the title of its strip
  Roles roles;       ///< the tensors; read in the likeliest way
};

/// A strip for each output: a dot for the right attention and for each single
/// variation, on a logarithmic axis of errors, and the line up to which
/// rounding explains an error.
/// \param outputs  from top to bottom, at least one
/// \returns the SVG
/// \throws ReadingProblem when an output cannot be read
std::string draw_hypotheses(const std::vector<NamedRoles>& outputs);

}  // namespace diagnose
