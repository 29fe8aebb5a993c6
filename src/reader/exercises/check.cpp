#include "reader/exercises/check.hpp"

#include "reader/exercises/build_and_run.hpp"
#include "reader/exercises/lock.hpp"
#include "reader/exercises/problem.hpp"
#include "reader/exercises/terminal.hpp"

#include <algorithm>
#include <sstream>

namespace reader {
namespace {

constexpr std::size_t diagnostics_shown = 3;

void need_file(const Book& book, const Exercise& exercise) {
  const fs::path mine = my_file(book.tree, exercise);
  if (!fs::is_regular_file(mine)) {
    fail("{} is not there; ./mha start {} makes it", shown(mine),
         exercise.number());
  }
}

void print_diagnostics(const Build& build, const fs::path& mine) {
  std::vector<Diagnostic> wanted;
  std::copy_if(build.diagnostics.begin(), build.diagnostics.end(),
               std::back_inserter(wanted), [&](const Diagnostic& d) {
                 // Errors first; warnings matter when there are none.
                 return d.is_error != build.done;
               });
  const std::size_t count = std::min(wanted.size(), diagnostics_shown);
  for (std::size_t i = 0; i < count; ++i) print(shown(wanted[i], mine));
  if (wanted.size() > count) {
    print(fmt::format("and {} more\n", wanted.size() - count));
  }
}

bool has_error(const Build& build) {
  return std::any_of(build.diagnostics.begin(), build.diagnostics.end(),
                     [](const Diagnostic& d) { return d.is_error; });
}

// The last lines of a log, for a failure that is not in the reader's file.
std::string last_lines(const std::string& log, std::size_t count) {
  const std::string text = presentable(log);
  std::size_t begin = text.size();
  for (std::size_t i = 0; i <= count && begin != std::string::npos; ++i) {
    begin = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
  }
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

void report_failed_build(const Book& book, const Exercise& exercise,
                         const Build& build, bool full) {
  if (full) {
    print(build.log);
  } else if (has_error(build)) {
    print_diagnostics(build, my_file(book.tree, exercise));
  } else {
    print(last_lines(build.log, 15));
  }
  const bool mine = has_error(build);
  const std::string verdict = mine ? "It does not compile yet."
                                   : "The build failed, but not in your file.";
  const std::string how =
      full ? "" : fmt::format("  ./mha check {} --full\n", exercise.number());
  print(fmt::format("\n{} All that the compiler says:\n{}  {}\n",
                    coloured(Colour::red, verdict), how,
                    shown(build.log_file)));
}

void print_report(const std::string& report) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const bool good = line.starts_with("passed  ");
    if (good || line.starts_with("FAILED  ")) {
      line = coloured(good ? Colour::green : Colour::red, line.substr(0, 6)) +
             line.substr(6);
    }
    print(line + "\n");
  }
}

// Notes when the exercise was first solved. The reader's file may be there
// without a record: progress.json was lost, or came from another machine.
Record record_result(const Book& book, const Exercise& exercise, bool passed) {
  const Lock lock(book.tree.progress_lock());
  Progress progress = load_progress(book);
  const Record before = progress.of(exercise);
  Record record = before;
  if (record.started.empty()) record.started = today();
  if (record.shipped.empty()) record.shipped = shipped_version(exercise);
  if (passed && record.solved.empty()) record.solved = today();
  if (record.started != before.started || record.shipped != before.shipped ||
      record.solved != before.solved) {
    progress.put(exercise, record);
    progress.save(book.tree);
  }
  return before;
}

void say_what_is_next(const Book& book, const Exercise& exercise,
                      const Record& before) {
  const std::string number = exercise.number();
  const std::string verdict =
      before.solved.empty()
          ? fmt::format("{} is solved.", number)
          : fmt::format("{} is solved, since {}.", number, before.solved);
  print(fmt::format("\n{} ./mha solution {} explains one way to do it.\n",
                    coloured(Colour::green, verdict), number));
  const Progress progress = load_progress(book);
  const Exercise* next = next_unsolved(book, progress, exercise);
  if (next == nullptr) {
    print("That was the last: every exercise is solved.\n");
    return;
  }
  const bool open = state_of(book, progress, *next) == State::open;
  print(fmt::format("{}. Next: ./mha {} {}\n", count_solved(book, progress),
                    open ? "start" : "check", next->number()));
}

void say_where_help_is(const Book& book, const Exercise& exercise,
                       const Record& before) {
  const std::string number = exercise.number();
  const std::string verdict =
      before.solved.empty() ? fmt::format("{} is not solved yet.", number)
                            : fmt::format("{} was solved on {} and fails now.",
                                          number, before.solved);
  print(fmt::format("\n{}\n", coloured(Colour::red, verdict)));
  const int left = static_cast<int>(exercise.hints.size()) - before.hints;
  if (left > 0) {
    print(fmt::format("./mha hint {} gives a hint ({} left).\n", number, left));
  } else {
    print(fmt::format("./mha solution {} shows a solution.\n", number));
  }
  if (read_file(my_file(book.tree, exercise)) == read_file(exercise.shipped)) {
    print(fmt::format("{} is still as you got it.\n",
                      shown(my_file(book.tree, exercise))));
  }
}

std::string verdict_line(const Build& build, const Checks& checks) {
  if (!build.done) return coloured(Colour::red, "does not compile");
  if (checks.passed) return coloured(Colour::green, "passed");
  std::string why = checks.first_failed;
  if (checks.end == Checks::End::timed_out) why = "runs without end";
  if (checks.end == Checks::End::crashed) why = "crashed";
  if (checks.end == Checks::End::left_early) why = "ended before its checks";
  return coloured(Colour::red, "FAILED") + "  " + why;
}

}  // namespace

bool check_one(const Book& book, const Exercise& exercise,
               const CheckOptions& options) {
  need_file(book, exercise);
  const fs::path mine = my_file(book.tree, exercise);
  print(fmt::format("{}{}\n\n", heading(exercise), shown(mine)));
  const Build build = build_mine(book.tree, exercise, options.command);
  Checks checks;
  if (build.done) {
    print_diagnostics(build, mine);
    checks = run_mine(book.tree, exercise, options.seconds);
    print_report(checks.report);
    if (!checks.why_stopped.empty()) {
      print(fmt::format("\n{}", wrapped(checks.why_stopped)));
    }
  } else {
    report_failed_build(book, exercise, build, options.full);
  }
  const Record before = record_result(book, exercise, checks.passed);
  if (checks.passed) {
    say_what_is_next(book, exercise, before);
  } else if (build.done) {
    say_where_help_is(book, exercise, before);
  }
  say_if_changed(before, exercise);
  return checks.passed;
}

bool check_all(const Book& book, const CheckOptions& options) {
  std::size_t checked = 0, passed = 0;
  for (const Exercise& exercise : book.catalogue) {
    if (!fs::is_regular_file(my_file(book.tree, exercise))) continue;
    ++checked;
    const Build build = build_mine(book.tree, exercise, options.command);
    Checks checks;
    if (build.done) checks = run_mine(book.tree, exercise, options.seconds);
    const Record before = record_result(book, exercise, checks.passed);
    print(fmt::format("{:<5} {}\n", exercise.number(),
                      verdict_line(build, checks)));
    if (!checks.passed && !before.solved.empty()) {
      print(fmt::format("      was solved on {}\n", before.solved));
    }
    say_if_changed(before, exercise);
    passed += checks.passed ? 1 : 0;
  }
  if (checked == 0) {
    fail("no exercise is started; ./mha start {} begins the first",
         book.catalogue.front().number());
  }
  print(
      fmt::format("\n{} of the {} you have started passed, of {} in the "
                  "book.\n",
                  passed, checked, book.catalogue.size()));
  return passed == checked;
}

}  // namespace reader
