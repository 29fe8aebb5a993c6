// What the reader has done so far: my/progress.json.
#pragma once

#include "reader/exercises/catalogue.hpp"

#include <functional>
#include <map>
#include <string>

namespace reader {

// One exercise's progress. Dates are empty until it happens.
struct Record {
  std::string file;     // 02_1_where_it_lies.cpp
  std::string started;  // 2025-11-29
  std::string solved;
  std::string shipped;  // version of the exercise when it was started
  int hints = 0;        // how many were shown
};

class Progress {
 public:
  // Reads the file, if there is one. One that cannot be understood is set
  // aside, and say gets a message; one of a later version is a Problem.
  static Progress load(const Tree& tree,
                       const std::function<void(const std::string&)>& say);

  // An exercise's record: an empty one when there is none.
  Record of(const Exercise& exercise) const;

  // Replaces an exercise's record. If its number belonged to another exercise
  // in an earlier version of the book, that one's record is kept.
  void put(const Exercise& exercise, Record record);

  // Writes the file in one step.
  void save(const Tree& tree) const;

  // Records of exercises that the book no longer has.
  std::vector<Record> of_no_exercise(const Catalogue& catalogue) const;

 private:
  std::map<std::string, Record> records_;  // by number
};

}  // namespace reader
