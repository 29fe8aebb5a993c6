// Lines of a source file, by the comments at their ends.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <string>

// The number of the line that ends with "// comment"; fails the test when there
// is none.
inline int line_with(const std::string& path, const std::string& comment) {
  const std::string wanted = "// " + comment;
  std::ifstream file(path);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    if (text.ends_with(wanted)) return line;
  }
  FAIL("no line of " << path << " ends with " << wanted);
  return 0;
}
