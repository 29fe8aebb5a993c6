// The command check: builds the reader's file, runs its checks, says what they
// found and records what is solved.
#pragma once

#include "reader/exercises/commands.hpp"

#include <string>

namespace reader {

struct CheckOptions {
  std::string command;  // check or watch
  bool full = false;  // show all that the compiler says
  int seconds = 10;   // time limit of the checks
};

// Checks one exercise and reports at length. Returns whether all passed.
bool check_one(const Book& book, const Exercise& exercise,
               const CheckOptions& options);

// Checks every exercise that is started, a line each. Returns whether all of
// them passed; fails when none is started.
bool check_all(const Book& book, const CheckOptions& options);

}  // namespace reader
