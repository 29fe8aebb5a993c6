#include "reader/exercises/catalogue.hpp"

#include "reader/exercises/problem.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

namespace reader {
namespace {

// The lines of the comment that begins a file, without their "// ".
std::vector<std::string> leading_comment(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line.substr(line.starts_with("// ") ? 3 : 2));
  }
  return lines;
}

// What follows "NAME: " on the first line that begins with it.
std::string field(const std::vector<std::string>& comment,
                  const std::string& name) {
  for (const std::string& line : comment) {
    if (line.starts_with(name + ": ")) return line.substr(name.size() + 2);
  }
  return {};
}

std::vector<std::string> read_hints(const std::vector<std::string>& comment) {
  std::vector<std::string> hints;
  for (const std::string& line : comment) {
    if (line.starts_with("hint: ")) {
      hints.push_back(line.substr(6));
    } else if (!hints.empty()) {
      const std::size_t text = line.find_first_not_of(' ');
      if (text != std::string::npos) {
        hints.back().append(" ").append(line.substr(text));
      }
    }
  }
  return hints;
}

void read_header(Exercise& exercise) {
  const auto comment = leading_comment(read_file(exercise.shipped));
  const std::string first = comment.empty() ? "" : comment.front();
  const std::size_t colon = first.find(": ");
  exercise.title =
      colon == std::string::npos ? exercise.name : first.substr(colon + 2);
  exercise.kind = field(comment, "kind");
  exercise.section = field(comment, "section");
  exercise.check = field(comment, "check");
  const std::string difficulty = field(comment, "difficulty");
  exercise.difficulty = difficulty.empty() ? 0 : difficulty[0] - '0';
  exercise.hints = read_hints(comment);
}

void read_chapter(const fs::path& folder, Catalogue& catalogue) {
  static const std::regex pattern("([0-9]+)_.+");
  const std::string chapter = folder.filename().string();
  std::error_code missing;
  for (const auto& entry :
       fs::directory_iterator(folder / "exercises", missing)) {
    const std::string stem = entry.path().stem().string();
    std::smatch match;
    if (entry.path().extension() != ".cpp" ||
        !std::regex_match(stem, match, pattern)) {
      continue;
    }
    Exercise exercise;
    exercise.chapter = std::stoi(chapter.substr(0, 2));
    exercise.place = std::stoi(match[1]);
    exercise.name = chapter.substr(0, 2) + "_" + stem;
    exercise.shipped = entry.path();
    exercise.checks = folder / "checks" / entry.path().filename();
    exercise.solution = folder / "solutions" / entry.path().filename();
    read_header(exercise);
    catalogue.push_back(exercise);
  }
}

template <typename Range>
std::string listed(const Range& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// Says what there is instead.
[[noreturn]] void complain(const Catalogue& catalogue, int chapter,
                           std::string_view number) {
  std::vector<std::string> numbers;
  std::set<int> chapters;
  for (const Exercise& exercise : catalogue) {
    chapters.insert(exercise.chapter);
    if (exercise.chapter == chapter) numbers.push_back(exercise.number());
  }
  if (numbers.empty()) {
    fail("there is no exercise {}; chapters with exercises: {}", number,
         listed(chapters));
  }
  fail("there is no exercise {}; chapter {} has {}", number, chapter,
       listed(numbers));
}

}  // namespace

std::string Exercise::number() const {
  return fmt::format("{}.{}", chapter, place);
}

std::string Exercise::file_name() const { return name + ".cpp"; }

Catalogue read_catalogue(const Tree& tree) {
  static const std::regex pattern("[0-9][0-9]_.+");
  Catalogue catalogue;
  std::error_code missing;
  for (const auto& entry :
       fs::directory_iterator(tree.root / "chapters", missing)) {
    if (std::regex_match(entry.path().filename().string(), pattern)) {
      read_chapter(entry.path(), catalogue);
    }
  }
  if (catalogue.empty()) {
    fail("there are no exercises in {}", shown(tree.root / "chapters"));
  }
  std::sort(catalogue.begin(), catalogue.end(),
            [](const Exercise& a, const Exercise& b) {
              return std::tie(a.chapter, a.place, a.name) <
                     std::tie(b.chapter, b.place, b.name);
            });
  return catalogue;
}

const Exercise& find_exercise(const Catalogue& catalogue,
                              std::string_view number) {
  static const std::regex pattern("0*([0-9]{1,4})[.]0*([0-9]{1,4})");
  std::cmatch match;
  if (!std::regex_match(number.data(), number.data() + number.size(), match,
                        pattern)) {
    fail(
        "'{}' is no number of an exercise; write it as 2.1 (./mha list shows "
        "them all)",
        number);
  }
  const int chapter = std::stoi(match[1]);
  const int place = std::stoi(match[2]);
  for (const Exercise& exercise : catalogue) {
    if (exercise.chapter == chapter && exercise.place == place) return exercise;
  }
  complain(catalogue, chapter, number);
}

std::string shipped_version(const Exercise& exercise) {
  // The byte between them keeps text from moving across unseen.
  return fingerprint(read_file(exercise.shipped) + '\0' +
                     read_file(exercise.checks));
}

}  // namespace reader
