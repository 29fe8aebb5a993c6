#include "reader/exercises/watch.hpp"

#include "reader/exercises/build_and_run.hpp"
#include "reader/exercises/problem.hpp"
#include "reader/exercises/process.hpp"
#include "reader/exercises/terminal.hpp"

#include <optional>
#include <tuple>

#include <sys/stat.h>

namespace reader {
namespace {

// What a save changes: some editors write into the file, others put a new one
// in its place.
using Signature = std::tuple<ino_t, off_t, time_t, long>;

// Nothing while the file is not there, as in the middle of a save by rename.
std::optional<Signature> signature_of(const fs::path& file) {
  struct stat about {};
  if (stat(file.c_str(), &about) != 0) return {};
#ifdef __APPLE__
  const timespec saved = about.st_mtimespec;
#else
  const timespec saved = about.st_mtim;
#endif
  return Signature{about.st_ino, about.st_size, saved.tv_sec, saved.tv_nsec};
}

// Waits for a save after the file was as before, and for its end: an editor may
// empty the file first and fill it later.
void wait_for_save(const fs::path& file,
                   const std::optional<Signature>& before) {
  constexpr int settled = 200;  // milliseconds without a change
  std::optional<Signature> now = signature_of(file);
  while (true) {
    pause(settled);
    const std::optional<Signature> later = signature_of(file);
    if (later && later == now && now != before) return;
    now = later;
  }
}

std::string progress_bar(const Book& book) {
  const Progress progress = load_progress(book);
  std::string bar;
  for (const Exercise& exercise : book.catalogue) {
    const State state = state_of(book, progress, exercise);
    bar += state == State::solved ? '#' : state == State::started ? '-' : '.';
  }
  return fmt::format("[{}] {}", bar, count_solved(book, progress));
}

// A problem ends a command, but not the watching: the next save may mend it.
bool check_or_say(const Book& book, const Exercise& exercise,
                  const CheckOptions& options) {
  try {
    return check_one(book, exercise, options);
  } catch (const Problem& problem) {
    say(problem.what());
    return false;
  }
}

// Returns when the exercise is solved.
void watch_one(const Book& book, const Exercise& exercise,
               const CheckOptions& options) {
  const fs::path mine = my_file(book.tree, exercise);
  while (true) {
    const std::optional<Signature> before = signature_of(mine);
    print(fmt::format("\n{:-<{}}\n", "", width));
    if (check_or_say(book, exercise, options)) return;
    print(fmt::format("\n{}. Waiting for you to save {} (Ctrl-C ends this)\n",
                      progress_bar(book), shown(mine)));
    wait_for_save(mine, before);
  }
}

}  // namespace

void watch(const Book& book, const Exercise& first,
           const CheckOptions& options) {
  const Exercise* exercise = &first;
  while (exercise != nullptr) {
    if (!fs::exists(my_file(book.tree, *exercise))) {
      start(book, exercise->number());
    }
    watch_one(book, *exercise, options);
    exercise = next_unsolved(book, load_progress(book), *exercise);
    if (exercise != nullptr) print("\nOn to the next.\n\n");
  }
}

}  // namespace reader
