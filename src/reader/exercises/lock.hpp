// One ./mha at a time builds or changes progress.
#pragma once

#include "reader/exercises/files.hpp"

namespace reader {

// Holds the lock that `mha` takes (build/lock) as long as it lives. Says so
// when it has to wait.
class Lock {
 public:
  explicit Lock(const Tree& tree);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  int file_;
};

}  // namespace reader
