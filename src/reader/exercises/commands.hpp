// The commands that change nothing but the reader's folder: start, hint,
// solution, reset, and the states that list shows.
#pragma once

#include "reader/exercises/catalogue.hpp"
#include "reader/exercises/progress.hpp"

#include <string>

namespace reader {

// What every command works on.
struct Book {
  Tree tree;
  Catalogue catalogue;
};

enum class State { open, started, solved };

Progress load_progress(const Book& book);
State state_of(const Book& book, const Progress& progress,
               const Exercise& exercise);

// Whether the exercise was changed since the reader started it.
bool has_changed(const Record& record, const Exercise& exercise);

// Says so, and how to get the new one.
void say_if_changed(const Record& record, const Exercise& exercise);

// Number and title, on a line.
std::string heading(const Exercise& exercise);

// The exercise of that number. Without one: the started, unsolved one whose
// file was saved last. Fails when none is.
const Exercise& named_or_current(const Book& book, const std::string& number);

// The first unsolved exercise after this one, or else from the beginning;
// nullptr when all are solved.
const Exercise* next_unsolved(const Book& book, const Progress& progress,
                              const Exercise& after);

// "3 of 10 solved".
std::string count_solved(const Book& book, const Progress& progress);

// Makes the reader's copy, unless it is there, and says how to go on. Without
// a number: of the first exercise that is still open.
void start(const Book& book, const std::string& number);

// Shows one hint more than last time.
void hint(const Book& book, const std::string& number);

// Shows the solution: asks first unless it is solved or yes is given.
void show_solution(const Book& book, const std::string& number, bool yes);

// Puts the shipped exercise in the place of the reader's, which is kept.
void reset(const Book& book, const std::string& number);

// Prints "NUMBER solved" and so on for all that are not open; then an empty
// line and what the list should end with.
void print_states(const Book& book);

}  // namespace reader
