// What the compiler and the linker say about the reader's file, in short.
#pragma once

#include "reader/exercises/files.hpp"

#include <string>
#include <vector>

namespace reader {

struct Diagnostic {
  int line = 0;    // in the reader's file; 0 when it is about the whole file
  int column = 0;  // in bytes; 0 when unknown
  bool is_error = true;
  bool in_library = false;  // where this line led to
  std::string message;
};

// The diagnostics in a build's log that are about file, or that its use of a
// library led to.
std::vector<Diagnostic> read_diagnostics(const std::string& log,
                                         const fs::path& file);

// One diagnostic as a few lines: place and message, then the line of source.
std::string shown(const Diagnostic& diagnostic, const fs::path& file);

}  // namespace reader
