// Builds a reader's file with the checks of its exercise, and runs them.
#pragma once

#include "reader/exercises/catalogue.hpp"
#include "reader/exercises/diagnostics.hpp"
#include "reader/exercises/process.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace reader {

// Where the reader's copy of an exercise lies.
fs::path my_file(const Tree& tree, const Exercise& exercise);

struct Build {
  bool done = false;
  std::vector<Diagnostic> diagnostics;  // of the reader's file
  std::string log;                      // all that was said
  fs::path log_file;
};

// Builds the target of the reader's file, which add_exercises.cmake makes.
// `command` is what others are told who wait for it.
Build build_mine(const Tree& tree, const Exercise& exercise,
                 std::string_view command);

struct Checks {
  enum class End { finished, crashed, timed_out, left_early };
  End end = End::finished;
  bool passed = false;
  std::string report;        // as the program printed it, made presentable
  std::string first_failed;  // name of a check; empty when none failed
  std::string why_stopped;   // in words, unless finished
};

// Runs the program that build_mine has built, for so many seconds at most.
Checks run_mine(const Tree& tree, const Exercise& exercise, int seconds);

// What a run of the checks says. src/exercise/report.cpp writes the report.
Checks read_checks(const Outcome& outcome, int seconds);

}  // namespace reader
