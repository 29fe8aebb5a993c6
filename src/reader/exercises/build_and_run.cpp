#include "reader/exercises/build_and_run.hpp"

#include "reader/exercises/lock.hpp"
#include "reader/exercises/problem.hpp"
#include "reader/exercises/terminal.hpp"

#include <algorithm>
#include <regex>
#include <thread>

namespace reader {
namespace {

std::string target_of(const Exercise& exercise) {
  return fmt::format("my_{}", exercise.name);
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

Outcome run_build(const Tree& tree, const Exercise& exercise,
                  std::string_view command) {
  const Lock lock(tree.build_lock(), command);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::string label = fmt::format("Building {}", exercise.number());
  const RunOptions options{
      .time_limit = 0,
      .on_second = [&](int seconds, const std::string& output) {
        show_waiting(label, seconds, last_line(output));
      }};
  const Outcome outcome =
      run_program({"cmake", "--build", tree.build().string(), "--parallel",
                   std::to_string(cores), "--target", target_of(exercise)},
                  options);
  clear_waiting();
  return outcome;
}

// Both numbers of "3 of 5 checks passed" at the end of a report.
bool all_passed(const std::string& report) {
  static const std::regex pattern("\n([0-9]+) of ([0-9]+) checks passed\n$");
  std::smatch match;
  return std::regex_search(report, match, pattern) && match[1] == match[2] &&
         match[1] != "0";
}

// Not only at the beginning of a line: the reader's code may print as well, and
// leave its line unfinished.
std::string first_failed(const std::string& report) {
  constexpr std::string_view mark = "FAILED  ";
  const std::size_t found = report.find(mark);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + mark.size();
  return report.substr(begin, report.find('\n', begin) - begin);
}

// What the standard library prints before it aborts, without its types.
std::string with_plain_assertions(const std::string& report) {
  static const std::regex assertion(
      "/[^\n]{1,2000}: Assertion ['`]([^\n]{1,200})' failed[.]");
  return std::regex_replace(report, assertion,
                            "        the library needs this to be true: $1");
}

// A run that crashed counts only the checks it came to.
std::string without_count(const std::string& report) {
  static const std::regex count("\n[0-9]+ of [0-9]+ checks passed\n$");
  return std::regex_replace(report, count, "");
}

}  // namespace

fs::path my_file(const Tree& tree, const Exercise& exercise) {
  return tree.my() / exercise.file_name();
}

Build build_mine(const Tree& tree, const Exercise& exercise,
                 std::string_view command) {
  Build build;
  build.log_file = tree.log() / (target_of(exercise) + ".log");
  const Outcome outcome = run_build(tree, exercise, command);
  build.done = outcome.how == Outcome::How::exited && outcome.code == 0;
  build.log = outcome.output;
  // When nothing had to be compiled, the warnings of last time still hold.
  const bool compiled =
      outcome.output.find("ninja: no work to do") == std::string::npos;
  make_folder(tree.log());
  if (compiled || !build.done) {
    write_file(build.log_file, build.log);
  } else if (fs::exists(build.log_file)) {
    build.log = read_file(build.log_file);
  }
  build.diagnostics = read_diagnostics(build.log, my_file(tree, exercise));
  return build;
}

Checks read_checks(const Outcome& outcome, int seconds) {
  using End = Checks::End;
  Checks checks;
  checks.report = presentable(outcome.output);
  checks.first_failed = first_failed(outcome.output);
  const bool all = all_passed(outcome.output);
  if (outcome.how == Outcome::How::timed_out) {
    checks.end = End::timed_out;
    checks.why_stopped = fmt::format(
        "It was still running after {} s and was stopped. Look for a loop that "
        "never ends: what changes in it, and is its condition ever false?",
        seconds);
  } else if (outcome.how == Outcome::How::signalled) {
    checks.end = End::crashed;
    checks.report = without_count(with_plain_assertions(checks.report));
    checks.why_stopped =
        fmt::format("Your program crashed. {}", signal_in_words(outcome.code));
  } else if (outcome.code == 0 && !all) {
    checks.end = End::left_early;
    checks.why_stopped =
        "Your program ended before its checks did. Does something call exit?";
  }
  checks.passed = checks.end == End::finished && outcome.code == 0;
  return checks;
}

Checks run_mine(const Tree& tree, const Exercise& exercise, int seconds) {
  const fs::path program = tree.build() / "my" / target_of(exercise);
  const RunOptions options{.time_limit = seconds, .on_second = {}};
  return read_checks(run_program({program.string()}, options), seconds);
}

}  // namespace reader
