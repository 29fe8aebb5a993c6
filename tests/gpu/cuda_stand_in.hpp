// Stands in for CUDA's runtime library where there is no graphics card: a
// program linked with it in place of that library finds a card, and its kernels
// run as nvcc compiled them, instruction by instruction.
#pragma once

#include "ptx_machine.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stand_in {

// The card that is found. What is not said is as on compute capability 9.0.
struct Card {
  int count = 1;
  bool driver = true;
  bool fills = true;   // false: cudaMemset fails
  int capability = 9;  // its first number
  std::size_t memory_bytes = std::size_t{4} << 30;
  std::uint64_t seed = 0;  // of the order of the threads
};

// From here on this is the card, and nothing has happened. Arrays stay.
void insert(const Card& card);

// The first fault of a kernel; empty: none.
const std::string& fault();

// What each launch asked of memory.
const std::vector<ptx::Asked>& launches();

// Of arrays that were not given back.
std::size_t bytes_held();

}  // namespace stand_in
