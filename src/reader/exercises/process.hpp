// Runs a program, with its output caught and its time limited.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace reader {

// Text that may come without end: its beginning and its end are kept.
class BoundedText {
 public:
  explicit BoundedText(std::size_t half = 512 * 1024) : half_(half) {}
  void add(std::string_view text);
  std::string text() const;

 private:
  std::size_t half_;
  std::string begin_, end_;
  bool cut_ = false;
};

struct Outcome {
  enum class How { exited, signalled, timed_out };
  How how = How::exited;
  int code = 0;        // exit status, or the signal's number
  std::string output;  // standard output and error, as they came
};

struct RunOptions {
  // In seconds; 0 lets it run. A limited program is the reader's: it is ended
  // with all that it started, leaves no core file and cannot eat the memory.
  int time_limit = 0;
  // Called about once a second, with the seconds that have passed.
  std::function<void(int, const std::string& output)> on_second;
};

// Runs words[0], found on PATH, with the rest as arguments and nothing to read.
// Throws Stopped when a signal has asked this command to stop.
Outcome run_program(const std::vector<std::string>& words,
                    const RunOptions& options);

// From here on Ctrl-C and SIGTERM let the command end in its own way.
void catch_stop_signals();

// Whether one of them has come.
bool stop_requested();

// Sleeps, but not on when a stop is requested; then it throws Stopped.
void pause(int milliseconds);

// What the end by a signal means, for somebody who has never met it.
std::string signal_in_words(int signal);

}  // namespace reader
