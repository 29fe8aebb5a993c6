#include "reader/exercises/lock.hpp"

#include "reader/exercises/problem.hpp"
#include "reader/exercises/process.hpp"
#include "reader/exercises/terminal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace reader {

Lock::Lock(const Tree& tree) {
  const fs::path path = tree.root / "build" / "lock";
  // Closed in what is started from here, or a program left behind would hold
  // the lock.
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail("{} cannot be written", shown(path));
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  say("another ./mha is working; waiting");
  while (flock(file_, LOCK_EX) != 0) {
    if (stop_requested()) {
      close(file_);
      throw Stopped();
    }
  }
}

Lock::~Lock() { close(file_); }

}  // namespace reader
