// Chapter 8: how many bytes each kernel moves, by formula.
#pragma once

#include "attention_sizes.hpp"

#include <string>
#include <vector>

namespace cuda_port {

// [moved]
// Segments of 32 bytes that a launch loads and stores, by counting on paper.
struct Moved {
  std::string kernel;
  Index loaded, stored;
};

// For sizes where nothing is left over: queries and keys multiples of 64,
// width one of 32, 64, 128, no causal mask. Throws std::invalid_argument for
// others.
std::vector<Moved> moved_by_formula(const Sizes& sizes);

// What any kernel must move: read q, k and v once, write out.
Index least_segments(const Sizes& sizes);

// Multiplications and additions of the two products, each counted.
Index operations(const Sizes& sizes);
// [moved]

}  // namespace cuda_port
