// One ./mha at a time builds, and one at a time changes progress.
#pragma once

#include "reader/exercises/files.hpp"

#include <string_view>

namespace reader {

// Holds a lock as long as it lives. Says so when it has to wait: for whom and
// since when, where the holder's name is in the file.
class Lock {
 public:
  // `command` is what those who wait are told; empty where that takes no time.
  explicit Lock(const fs::path& file, std::string_view command = "");
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  int file_;
};

}  // namespace reader
