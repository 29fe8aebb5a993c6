#include "scratch_book.hpp"

#include "reader/exercises/problem.hpp"
#include "reader/exercises/progress.hpp"

#include <doctest/doctest.h>

#include <vector>

using reader::Catalogue;
using reader::Progress;
using reader::Record;
using reader::ScratchBook;

namespace fs = std::filesystem;

namespace {

Progress load(const ScratchBook& book, std::vector<std::string>& messages) {
  return Progress::load(
      book.tree, [&](const std::string& text) { messages.push_back(text); });
}

Progress load(const ScratchBook& book) {
  std::vector<std::string> messages;
  Progress progress = load(book, messages);
  CHECK(messages.empty());
  return progress;
}

reader::Exercise exercise(int chapter, int place, const std::string& name) {
  reader::Exercise e;
  e.chapter = chapter;
  e.place = place;
  e.name = name;
  return e;
}

// The one file in my/ whose name begins with "progress.broken-".
fs::path set_aside(const ScratchBook& book) {
  for (const auto& entry : fs::directory_iterator(book.tree.my())) {
    if (entry.path().filename().string().starts_with("progress.broken-")) {
      return entry.path();
    }
  }
  return {};
}

}  // namespace

TEST_CASE("what was saved is what is loaded") {
  const ScratchBook book;
  const auto e = exercise(2, 1, "02_1_first");
  Progress progress = load(book);
  CHECK(progress.of(e).started.empty());
  Record record;
  record.started = "2025-01-02";
  record.solved = "2025-01-03";
  record.shipped = "0123";
  record.hints = 2;
  progress.put(e, record);
  progress.save(book.tree);
  const Record back = load(book).of(e);
  CHECK(back.file == "02_1_first.cpp");
  CHECK(back.started == "2025-01-02");
  CHECK(back.solved == "2025-01-03");
  CHECK(back.shipped == "0123");
  CHECK(back.hints == 2);
  CHECK_FALSE(fs::exists(book.tree.progress().string() + ".new"));
}

TEST_CASE("a number that went to another exercise does not take its progress") {
  const ScratchBook book;
  const auto first = exercise(2, 1, "02_1_first");
  const auto other = exercise(2, 1, "02_1_other");
  Progress progress = load(book);
  Record record;
  record.solved = "2025-01-03";
  progress.put(first, record);
  CHECK(progress.of(other).solved.empty());
  progress.put(other, {});
  progress.save(book.tree);
  CHECK(load(book).of(first).solved == "2025-01-03");
  CHECK(load(book).of(other).solved.empty());
  CHECK(load(book).of_no_exercise({first}).size() == 1);
  CHECK(load(book).of_no_exercise({first, other}).empty());
}

TEST_CASE(
    "a file that cannot be understood is set aside, once, with a message") {
  for (const char* text :
       {"", "{", "[]", "3", "{\"version\": 1}", "{\"exercises\": {}}",
        "{\"version\": \"1\", \"exercises\": {}}",
        "{\"version\": 1, \"exercises\": {\"2.1\": {}}}",
        "{\"version\": 1, \"exercises\": {\"2.1\": 5}}",
        "{\"version\": 1, \"exercises\": [1]}",
        "{\"version\": 1, \"exercises\": {\"2.1\": {\"file\": 3}}}",
        "{\"version\": 1, \"exercises\": {\"2.1\": "
        "{\"file\": \"x\", \"hints\": \"two\"}}}",
        "\xff\xfe"}) {
    CAPTURE(text);
    const ScratchBook book;
    book.write("my/progress.json", text);
    std::vector<std::string> messages;
    Progress progress = load(book, messages);
    CHECK(messages.size() == 1);
    CHECK_FALSE(fs::exists(book.tree.progress()));
    const fs::path aside = set_aside(book);
    REQUIRE_FALSE(aside.empty());
    CHECK(reader::read_file(aside) == text);
    CHECK(messages[0].find(aside.filename().string()) != std::string::npos);
    load(book);
  }
}

TEST_CASE("two broken files in one second are both kept") {
  const ScratchBook book;
  for (int i = 0; i < 3; ++i) {
    book.write("my/progress.json", "{");
    std::vector<std::string> messages;
    load(book, messages);
  }
  const auto files = fs::directory_iterator(book.tree.my());
  CHECK(std::distance(fs::begin(files), fs::end(files)) == 3);
}

TEST_CASE("a file of a later version is refused and left as it is") {
  const ScratchBook book;
  const std::string text = "{\"version\": 2, \"exercises\": {}}";
  book.write("my/progress.json", text);
  CHECK_THROWS_AS(load(book), reader::Problem);
  CHECK(reader::read_file(book.tree.progress()) == text);
}

TEST_CASE("progress that cannot be written is a problem, not a loss") {
  const ScratchBook book;
  book.write("my", "a file where the folder should be");
  Progress progress;
  CHECK_THROWS_AS(progress.save(book.tree), reader::Problem);
  CHECK(reader::read_file(book.tree.my()) ==
        "a file where the folder should be");
}
