#include "reader/exercises/commands.hpp"

#include "reader/exercises/build_and_run.hpp"
#include "reader/exercises/lock.hpp"
#include "reader/exercises/problem.hpp"
#include "reader/exercises/terminal.hpp"

#include <algorithm>
#include <sstream>

namespace reader {
namespace {

fs::path my_file(const Book& book, const Exercise& exercise) {
  return my_file(book.tree, exercise);
}

bool is_there(const fs::path& file) {
  return fs::exists(fs::symlink_status(file));
}

void say_how_to_go_on(const Book& book, const Exercise& exercise) {
  const std::string number = exercise.number();
  print(
      fmt::format("\nOpen {} in your editor. Its first lines say what to do."
                  "\n\n"
                  "  ./mha check {}   tells you whether it is right\n"
                  "  ./mha watch {}   tells you at every save\n"
                  "  ./mha hint {}    helps a little\n",
                  shown(my_file(book, exercise)), number, number, number));
}

const Exercise& first_open(const Book& book) {
  const Progress progress = load_progress(book);
  for (const Exercise& exercise : book.catalogue) {
    if (state_of(book, progress, exercise) == State::open) return exercise;
  }
  fail("every exercise is started; ./mha list shows them");
}

// The reader's new copy, and its record. Solved before stays on record as
// long as the exercise is the same.
void make_copy(const Book& book, const Exercise& exercise, Record record,
               Progress& progress) {
  make_folder(book.tree.my());
  copy_new(exercise.shipped, my_file(book, exercise));
  const std::string version = shipped_version(exercise);
  if (record.shipped != version) record.solved.clear();
  record.started = today();
  record.shipped = version;
  progress.put(exercise, record);
  progress.save(book.tree);
}

// Shows hint i, counted from 0.
void print_hint(const Exercise& exercise, std::size_t i) {
  print(wrapped(fmt::format("Hint {} of {}: {}", i + 1, exercise.hints.size(),
                            exercise.hints[i])));
}

void print_all_hints(const Exercise& exercise) {
  for (std::size_t i = 0; i < exercise.hints.size(); ++i) {
    print_hint(exercise, i);
  }
  print(fmt::format("\nThese are all. ./mha solution {} shows a solution.\n",
                    exercise.number()));
}

void say_what_is_left(const Exercise& exercise, std::size_t hints) {
  const std::string number = exercise.number();
  if (hints > 0) {
    print(fmt::format("\n{} more: ./mha hint {}\n", hints, number));
  } else {
    print(fmt::format(
        "\nThat was the last. ./mha solution {} shows a solution.\n", number));
  }
}

// The comment at its head as prose, then the code.
void print_solution(const std::string& text) {
  std::istringstream lines(text);
  bool in_head = true;
  for (std::string line; std::getline(lines, line);) {
    if (in_head && !line.starts_with("//")) {
      in_head = false;
      print("\n");
    }
    if (in_head) line.erase(0, line.starts_with("// ") ? 3 : 2);
    print(line + "\n");
  }
}

fs::path back_up(const Book& book, const Exercise& exercise) {
  const fs::path folder = book.tree.my() / "backup";
  make_folder(folder);
  const fs::path backup =
      free_name(folder, exercise.name + "." + date_and_time(), ".cpp");
  std::error_code refused;
  fs::rename(my_file(book, exercise), backup, refused);
  if (refused) {
    fail("{} cannot be moved to {}: {}", shown(my_file(book, exercise)),
         shown(backup), refused.message());
  }
  return backup;
}

}  // namespace

std::string heading(const Exercise& exercise) {
  return coloured(Colour::bold,
                  fmt::format("{}  {}", exercise.number(), exercise.title)) +
         "\n";
}

void say_if_changed(const Record& record, const Exercise& exercise) {
  if (!has_changed(record, exercise)) return;
  print(wrapped(fmt::format(
      "This exercise has changed since you started it. ./mha reset {} gives "
      "you the new one and keeps yours.",
      exercise.number())));
}

Progress load_progress(const Book& book) {
  return Progress::load(book.tree, [](const std::string& text) { say(text); });
}

State state_of(const Book& book, const Progress& progress,
               const Exercise& exercise) {
  if (!progress.of(exercise).solved.empty()) return State::solved;
  return is_there(my_file(book, exercise)) ? State::started : State::open;
}

bool has_changed(const Record& record, const Exercise& exercise) {
  return !record.shipped.empty() && record.shipped != shipped_version(exercise);
}

const Exercise& named_or_current(const Book& book, const std::string& number) {
  if (!number.empty()) return find_exercise(book.catalogue, number);
  const Progress progress = load_progress(book);
  const Exercise* current = nullptr;
  fs::file_time_type newest;
  for (const Exercise& exercise : book.catalogue) {
    if (state_of(book, progress, exercise) != State::started) continue;
    std::error_code gone;
    const auto saved = fs::last_write_time(my_file(book, exercise), gone);
    if (!gone && (current == nullptr || saved > newest)) {
      current = &exercise;
      newest = saved;
    }
  }
  if (current != nullptr) return *current;
  const Exercise* next = next_unsolved(book, progress, book.catalogue.back());
  if (next == nullptr) fail("every exercise is solved; name the one you mean");
  fail("no exercise is started and unsolved; ./mha start {} begins the next",
       next->number());
}

const Exercise* next_unsolved(const Book& book, const Progress& progress,
                              const Exercise& after) {
  const Exercise* first = nullptr;
  bool past = false;
  for (const Exercise& exercise : book.catalogue) {
    const bool unsolved = state_of(book, progress, exercise) != State::solved;
    if (unsolved && past) return &exercise;
    if (unsolved && first == nullptr) first = &exercise;
    past = past || exercise.name == after.name;
  }
  return first;
}

std::string count_solved(const Book& book, const Progress& progress) {
  const auto solved = std::count_if(
      book.catalogue.begin(), book.catalogue.end(), [&](const Exercise& e) {
        return state_of(book, progress, e) == State::solved;
      });
  return fmt::format("{} of {} solved", solved, book.catalogue.size());
}

// Where its text stands in the finished book, if that has been made.
std::string in_the_book(const Book& book, const Exercise& exercise) {
  // chapters/02_head_split/exercises/1_name.cpp stands in head_split.html.
  const std::string folder =
      exercise.shipped.parent_path().parent_path().filename().string();
  const fs::path page = book.tree.root / "build" / "book" /
                        (folder.substr(folder.find('_') + 1) + ".html");
  if (!fs::exists(page)) return "";
  return fmt::format("{}#exercise-{}-{}\n", shown(page), exercise.chapter,
                     exercise.place);
}

void start(const Book& book, const std::string& number) {
  const Exercise& exercise =
      number.empty() ? first_open(book) : find_exercise(book.catalogue, number);
  const Lock lock(book.tree.progress_lock());
  Progress progress = load_progress(book);
  Record record = progress.of(exercise);
  const fs::path mine = my_file(book, exercise);
  print(heading(exercise));
  print(wrapped(fmt::format("{}, difficulty {} of 3; chapter {}, section {}",
                            exercise.kind, exercise.difficulty,
                            exercise.chapter, exercise.section)));
  print(in_the_book(book, exercise));
  if (!is_there(mine)) {
    make_copy(book, exercise, record, progress);
  } else {
    print(fmt::format("{} is already there; nothing was changed.\n",
                      shown(mine)));
    say_if_changed(record, exercise);
    if (record.started.empty()) {
      record.started = today();
      record.shipped = shipped_version(exercise);
      progress.put(exercise, record);
      progress.save(book.tree);
    }
  }
  say_how_to_go_on(book, exercise);
}

void hint(const Book& book, const std::string& number) {
  const Exercise& exercise = named_or_current(book, number);
  const Lock lock(book.tree.progress_lock());
  Progress progress = load_progress(book);
  Record record = progress.of(exercise);
  const std::size_t seen = static_cast<std::size_t>(record.hints);
  print(heading(exercise));
  if (seen >= exercise.hints.size()) {
    print_all_hints(exercise);
    return;
  }
  print_hint(exercise, seen);
  say_what_is_left(exercise, exercise.hints.size() - seen - 1);
  ++record.hints;
  progress.put(exercise, record);
  progress.save(book.tree);
}

void show_solution(const Book& book, const std::string& number, bool yes) {
  const Exercise& exercise = find_exercise(book.catalogue, number);
  const State state = state_of(book, load_progress(book), exercise);
  if (state != State::solved && !yes) {
    if (!can_ask()) {
      fail(
          "{} is not solved yet; ./mha solution {} --yes shows it all the same",
          exercise.number(), exercise.number());
    }
    if (!ask(fmt::format("{} is not solved yet. Show the solution?",
                         exercise.number()))) {
      print(fmt::format("Not shown. ./mha hint {} helps a little.\n",
                        exercise.number()));
      return;
    }
  }
  print_solution(read_file(exercise.solution));
  print(fmt::format("\nIt lies in {}.\n", shown(exercise.solution)));
}

void reset(const Book& book, const std::string& number) {
  const Exercise& exercise = find_exercise(book.catalogue, number);
  const Lock lock(book.tree.progress_lock());
  Progress progress = load_progress(book);
  const fs::path mine = my_file(book, exercise);
  if (!is_there(mine)) {
    fail("{} is not started; ./mha start {} begins it", exercise.number(),
         exercise.number());
  }
  const fs::path backup = back_up(book, exercise);
  make_copy(book, exercise, {}, progress);
  print(fmt::format("{} is new again. What you had is kept in\n  {}\n",
                    shown(mine), shown(backup)));
}

void print_states(const Book& book) {
  const Progress progress = load_progress(book);
  std::string changed;
  for (const Exercise& exercise : book.catalogue) {
    const State state = state_of(book, progress, exercise);
    if (state == State::open) continue;
    print(fmt::format("{} {}\n", exercise.number(),
                      state == State::solved ? "solved" : "started"));
    if (has_changed(progress.of(exercise), exercise)) {
      changed += wrapped(fmt::format(
          "{0} has changed since you started it. ./mha reset {0} gives you the "
          "new one and keeps yours.",
          exercise.number()));
    }
  }
  print(fmt::format("\n{}\n{}", count_solved(book, progress), changed));
  for (const Record& record : progress.of_no_exercise(book.catalogue)) {
    print(
        fmt::format("{} belongs to an exercise that the book no longer has.\n",
                    shown(book.tree.my() / record.file)));
  }
}

}  // namespace reader
