// Which exercises the book has, read from the comments at the heads of their
// files (docs/architecture.md says what stands there).
#pragma once

#include "reader/exercises/files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace reader {

struct Exercise {
  int chapter = 0;
  int place = 0;     // within the chapter, from 1
  std::string name;  // 02_1_where_it_lies, also of the reader's file
  std::string title;
  std::string kind;
  int difficulty = 0;   // 1 to 3
  std::string section;  // of the chapter's page
  std::string check;    // the one that must fail as shipped
  std::vector<std::string> hints;
  fs::path shipped, checks, solution;

  std::string number() const;     // 2.1
  std::string file_name() const;  // 02_1_where_it_lies.cpp
};

using Catalogue = std::vector<Exercise>;

// Every exercise, in the book's order.
Catalogue read_catalogue(const Tree& tree);

// The exercise of a number such as "2.1" or "02.1".
const Exercise& find_exercise(const Catalogue& catalogue,
                              std::string_view number);

// Changes when the shipped exercise or its checks change.
std::string shipped_version(const Exercise& exercise);

}  // namespace reader
