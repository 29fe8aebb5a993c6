// The reader's exercise commands. `mha` builds this program and hands over.
#include "reader/exercises/check.hpp"
#include "reader/exercises/commands.hpp"
#include "reader/exercises/problem.hpp"
#include "reader/exercises/process.hpp"
#include "reader/exercises/terminal.hpp"
#include "reader/exercises/watch.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

namespace {

struct Request {
  std::string root;
  std::string number;
  bool all = false;
  bool yes = false;
  reader::CheckOptions check;
};

// Which of the commands was named, with its options read into request. `mha`
// answers --help itself, so that help needs no build.
void add_commands(CLI::App& app, Request& request) {
  app.set_help_flag();
  app.require_subcommand(1);
  app.add_option("--root", request.root)->required();
  const auto add = [&](const std::string& name, bool needs_number) {
    CLI::App* command = app.add_subcommand(name);
    CLI::Option* number = command->add_option("NUMBER", request.number);
    if (needs_number) number->required();
    return command;
  };
  const auto add_limit = [&](CLI::App* command) {
    command->add_option("--seconds", request.check.seconds)
        ->check(CLI::Range(1, 3600));
    command->add_flag("--full", request.check.full);
  };
  add("start", false);
  add("hint", false);
  add("reset", true);
  add("solution", true)->add_flag("--yes", request.yes);
  CLI::App* check = add("check", false);
  check->add_flag("--all", request.all);
  add_limit(check);
  add_limit(add("watch", false));
  app.add_subcommand("states");
}

int check(const reader::Book& book, const Request& request) {
  if (request.all && !request.number.empty()) {
    reader::fail("check takes a number or --all, not both");
  }
  const bool passed =
      request.all ? check_all(book, request.check)
                  : check_one(book, named_or_current(book, request.number),
                              request.check);
  return passed ? 0 : 1;
}

// Without a number, watching begins with the current exercise, or the next.
const reader::Exercise& first_to_watch(const reader::Book& book,
                                       const std::string& number) {
  if (!number.empty()) return find_exercise(book.catalogue, number);
  const reader::Progress progress = load_progress(book);
  const bool any = std::any_of(
      book.catalogue.begin(), book.catalogue.end(), [&](const auto& exercise) {
        return state_of(book, progress, exercise) == reader::State::started;
      });
  const reader::Exercise* next =
      next_unsolved(book, progress, book.catalogue.back());
  if (any || next == nullptr) return named_or_current(book, "");
  return *next;
}

int watch(const reader::Book& book, const Request& request) {
  try {
    watch(book, first_to_watch(book, request.number), request.check);
  } catch (const reader::Stopped&) {
    reader::print(fmt::format("\nStopped watching. {}.\n",
                              count_solved(book, load_progress(book))));
  }
  return 0;
}

int answer(const std::string& command, const Request& request) {
  reader::Book book;
  book.tree.root = request.root;
  book.catalogue = read_catalogue(book.tree);
  if (command == "check") return check(book, request);
  if (command == "watch") return watch(book, request);
  if (command == "start") start(book, request.number);
  if (command == "hint") hint(book, request.number);
  if (command == "reset") reset(book, request.number);
  if (command == "states") print_states(book);
  if (command == "solution") {
    show_solution(book, request.number, request.yes);
  }
  return 0;
}

int complain(std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  reader::say(line);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  CLI::App app;
  add_commands(app, request);
  const auto command = [&] {
    const auto named = app.get_subcommands();
    return named.empty() ? std::string("help") : named.front()->get_name();
  };
  try {
    app.parse(argc, argv);
    reader::catch_stop_signals();
    request.check.command = command();
    return answer(command(), request);
  } catch (const CLI::ParseError& error) {
    return complain(
        fmt::format("{}; ./mha help {} says how", error.what(), command()));
  } catch (const reader::Stopped&) {
    return 130;  // as a shell reports Ctrl-C
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}
