/// \file example.hpp
/// Files to try a diagnosis on.
#pragma once

#include "reading.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace diagnose {

/// The tensors of a file.
struct Example {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// \param example  tensors that are called by their roles
/// \returns what find_roles would find in its file
Roles roles_of(const Example& example);

/// \returns "right" and every bug that a file can show
std::vector<std::string> example_names();

/// Tensors on which a bug shows, with the output that it makes of them.
/// \param name  "right", the name of a variation, or two joined with "+"
/// \param type  how the numbers are stored: float16, bfloat16, float32, float64
/// \param seed  of the numbers
/// \returns the tensors
/// \throws ReadingProblem for an unknown name, or one that no file can show
Example make_example(const std::string& name,
                     NumberType type = NumberType::float32,
                     std::uint32_t seed = 1);

}  // namespace diagnose
