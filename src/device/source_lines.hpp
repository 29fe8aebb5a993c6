#pragma once

#include "device/finding.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace device {

/// Where in a kernel's source a call returns to `code`. Of functions that were
/// inlined there, the innermost whose line is in a .cu file; where there is
/// none, the innermost. Line 0 where the program was built without `-g`.
SourceLine source_line(const void* code);

/// A variable that a `__shared__` declared: on the CPU device a static
/// variable inside a function.
struct SharedVariable {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::string name;               ///< as declared
  std::size_t element_bytes = 4;  ///< of its array
};

/// Those of the .cu files in this program. Throws std::runtime_error where the
/// program's symbols were stripped.
std::vector<SharedVariable> shared_variables();

/// A stretch of memory.
struct Stretch {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};

/// The parts of this program and its libraries that cannot be written.
std::vector<Stretch> constant_memory();

/// The parts of this program and its libraries that can.
std::vector<Stretch> variable_memory();

}  // namespace device
