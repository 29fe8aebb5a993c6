#include "reader/exercises/lock.hpp"

#include "reader/exercises/problem.hpp"
#include "reader/exercises/process.hpp"
#include "reader/exercises/terminal.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace reader {
namespace {

// The line that build.sh writes too: process, start in seconds, command.
void write_holder(const fs::path& file, std::string_view command) {
  std::ofstream(file) << getpid() << ' ' << std::time(nullptr) << ' ' << command
                      << '\n';
}

// What is waited for, and since when. The line may be missing: its writer has
// just begun, or is not ours.
std::string holder(const fs::path& file) {
  std::ifstream line(file);
  pid_t process = 0;
  std::time_t start = 0;
  std::string command;
  line >> process >> start >> std::ws;
  std::getline(line, command);
  if (command.empty() || process <= 0 || kill(process, 0) != 0) {
    return "another ./mha is working; waiting";
  }
  return fmt::format("./mha {} has been running for {} s; waiting for it",
                     command, std::max<std::time_t>(0, std::time({}) - start));
}

}  // namespace

Lock::Lock(const fs::path& file, std::string_view command) {
  // Closed in what is started from here, or a program left behind would hold
  // the lock.
  file_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail("{} cannot be written", shown(file));
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    say(holder(file));
    while (flock(file_, LOCK_EX) != 0) {
      if (stop_requested()) {
        close(file_);
        throw Stopped();
      }
    }
  }
  if (!command.empty()) write_holder(file, command);
}

Lock::~Lock() {
  // Whoever comes next must not be told of this command.
  [[maybe_unused]] const int emptied = ftruncate(file_, 0);
  close(file_);
}

}  // namespace reader
