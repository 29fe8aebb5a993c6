#include "reader/exercises/process.hpp"

#include "reader/exercises/problem.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace reader {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t stop_signal = 0;

void remember_signal(int signal) { stop_signal = signal; }

void limit(int resource, rlim_t most) {
  rlimit now{};
  // The first parameter's type differs between libraries.
  if (getrlimit(static_cast<decltype(RLIMIT_CORE)>(resource), &now) != 0)
    return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY || most < now.rlim_max
                     ? most
                     : now.rlim_max;
  setrlimit(static_cast<decltype(RLIMIT_CORE)>(resource), &now);
}

// The child's side: never returns.
[[noreturn]] void become(std::vector<char*>& words, int output, bool limited) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    std::signal(signal, SIG_DFL);
  }
  if (limited) {
    setpgid(0, 0);  // so that all it starts can be ended with it
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_AS, rlim_t{4} << 30);
  }
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(words[0], words.data());
  const char* reason = std::strerror(errno);
  std::string line = fmt::format("{}: {}\n", words[0], reason);
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) _exit(126);
  _exit(127);
}

// A program that runs, and the end of the pipe that its output comes out of.
class Running {
 public:
  Running(const std::vector<std::string>& words, bool limited)
      : limited_(limited) {
    std::vector<char*> pointers;
    for (const std::string& word : words) {
      pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    int ends[2];
    if (pipe(ends) != 0) fail("no pipe: {}", std::strerror(errno));
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
    child_ = fork();
    if (child_ == 0) become(pointers, ends[1], limited);
    close(ends[1]);
    output_ = ends[0];
    if (child_ < 0) fail("no process: {}", std::strerror(errno));
    if (limited_) setpgid(child_, child_);  // whoever of the two comes first
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    end();
    close(output_);
  }

  // Waits a little for output. Returns false when there will be none.
  bool read_some(BoundedText& text) {
    pollfd wait{output_, POLLIN, 0};
    if (poll(&wait, 1, 50) <= 0) return !ended();
    char buffer[1 << 16];
    const ssize_t count = read(output_, buffer, sizeof buffer);
    if (count > 0) text.add({buffer, static_cast<std::size_t>(count)});
    return count > 0;
  }

  // Ends it and what it started, if it still runs, and waits for it.
  void end() {
    if (child_ <= 0) return;
    if (limited_) {
      kill(-child_, SIGKILL);
    } else if (!ended()) {
      kill(child_, SIGTERM);
    }
    wait_for_end();
    child_ = 0;
  }

  // The status that waitpid gives. A program can close its output and run on,
  // so the caller looks at the clock.
  bool ended() {
    if (!ended_) ended_ = waitpid(child_, &status_, WNOHANG) == child_;
    return ended_;
  }
  int status() const { return status_; }

 private:
  void wait_for_end() {
    while (!ended_) {
      ended_ = waitpid(child_, &status_, 0) == child_ || errno != EINTR;
    }
  }

  pid_t child_ = 0;
  int output_ = -1;
  int status_ = 0;
  bool limited_;
  bool ended_ = false;
};

Outcome outcome_of(int status) {
  Outcome outcome;
  if (WIFSIGNALED(status)) {
    outcome.how = Outcome::How::signalled;
    outcome.code = WTERMSIG(status);
  } else {
    outcome.code = WEXITSTATUS(status);
  }
  return outcome;
}

}  // namespace

void BoundedText::add(std::string_view text) {
  const std::size_t room = half_ - begin_.size();
  begin_ += text.substr(0, room);
  if (text.size() <= room) return;
  end_ += text.substr(room);
  // Cut seldom: each cut moves what is kept.
  if (end_.size() > 2 * half_) {
    end_.erase(0, end_.size() - half_);
    cut_ = true;
  }
}

std::string BoundedText::text() const {
  return begin_ + (cut_ ? "\n[...]\n" : "") + end_;
}

Outcome run_program(const std::vector<std::string>& words,
                    const RunOptions& options) {
  const bool limited = options.time_limit > 0;
  const Clock::time_point begin = Clock::now();
  Running program(words, limited);
  BoundedText output;
  bool more = true, timed_out = false;
  int seconds = 0;
  while ((more || !program.ended()) && !timed_out) {
    if (stop_requested()) throw Stopped();
    if (more) more = program.read_some(output);
    if (!more && !program.ended()) pause(20);
    const auto passed = Clock::now() - begin;
    timed_out = limited && passed >= std::chrono::seconds(options.time_limit);
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(passed);
    if (whole.count() > seconds) {
      seconds = static_cast<int>(whole.count());
      if (options.on_second) options.on_second(seconds, output.text());
    }
  }
  program.end();
  Outcome outcome = outcome_of(program.status());
  if (timed_out) outcome.how = Outcome::How::timed_out;
  outcome.output = output.text();
  return outcome;
}

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = remember_signal;  // no SA_RESTART: poll must wake up
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaction(signal, &action, nullptr);
  }
}

bool stop_requested() { return stop_signal != 0; }

void pause(int milliseconds) {
  poll(nullptr, 0, milliseconds);
  if (stop_requested()) throw Stopped();
}

std::string signal_in_words(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "It used memory that is not its own (a segmentation fault). Look "
             "for an index past the end, something empty that is read, or a "
             "function that calls itself for ever.";
    case SIGABRT:
      return "It was aborted (SIGABRT): something noticed that it could not go "
             "on. The lines above may say what: an assertion, a double free.";
    case SIGFPE: return "It divided a whole number by zero (SIGFPE).";
    case SIGILL:
    case SIGTRAP:
      return "It came to a place that the compiler took for unreachable. Does "
             "a function end without a return?";
    case SIGKILL:
      return "Something killed it (SIGKILL). Did it use up the memory?";
    default:
      return fmt::format("It was ended by signal {} ({}).", signal,
                         strsignal(signal));
  }
}

}  // namespace reader
