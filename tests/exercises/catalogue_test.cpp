#include "scratch_book.hpp"

#include "reader/exercises/problem.hpp"

#include <doctest/doctest.h>

using reader::Catalogue;
using reader::Problem;
using reader::ScratchBook;

namespace {

const char* const header =
    "// Exercise 2.1: A name: with a colon\n"
    "// kind: find the bug\n"
    "// difficulty: 2\n"
    "// section: here\n"
    "// check: it is right\n"
    "//\n"
    "// Text.\n"
    "//\n"
    "// hint: The first,\n"
    "//   on two lines.\n"
    "// hint: The second.\n"
    "#include <vector>\n"
    "// hint: no hint any more\n";

}  // namespace

TEST_CASE("an exercise is read from the comment at its head") {
  const ScratchBook book;
  book.add("02_two", "1_first", header);
  const Catalogue catalogue = read_catalogue(book.tree);
  REQUIRE(catalogue.size() == 1);
  const reader::Exercise& exercise = catalogue[0];
  CHECK(exercise.number() == "2.1");
  CHECK(exercise.name == "02_1_first");
  CHECK(exercise.title == "A name: with a colon");
  CHECK(exercise.kind == "find the bug");
  CHECK(exercise.difficulty == 2);
  CHECK(exercise.section == "here");
  CHECK(exercise.check == "it is right");
  REQUIRE(exercise.hints.size() == 2);
  CHECK(exercise.hints[0] == "The first, on two lines.");
  CHECK(exercise.hints[1] == "The second.");
}

TEST_CASE("exercises come in the book's order, ten after nine") {
  const ScratchBook book;
  for (const char* name : {"10_ten", "9_nine"}) {
    book.add("02_two", name, header);
    book.add("01_one", name, header);
  }
  std::string order;
  for (const auto& exercise : read_catalogue(book.tree)) {
    order += exercise.number() + " ";
  }
  CHECK(order == "1.9 1.10 2.9 2.10 ");
}

TEST_CASE("what is no exercise is passed over") {
  const ScratchBook book;
  book.add("02_two", "1_first", header);
  book.write("chapters/02_two/exercises/.1_first.cpp.swp", "");
  book.write("chapters/02_two/exercises/notes.cpp", "");
  book.write("chapters/02_two/exercises/1_first.cpp~", "");
  book.write("chapters/CMakeLists.txt", "");
  CHECK(read_catalogue(book.tree).size() == 1);
}

TEST_CASE("a number is found with and without zeros in front") {
  const ScratchBook book;
  book.add("02_two", "1_first", header);
  const Catalogue catalogue = read_catalogue(book.tree);
  for (const char* number : {"2.1", "02.1", "2.01"}) {
    CHECK(find_exercise(catalogue, number).name == "02_1_first");
  }
}

TEST_CASE("an unknown number is answered with those that there are") {
  const ScratchBook book;
  book.add("02_two", "1_first", header);
  book.add("02_two", "3_third", header);
  const Catalogue catalogue = read_catalogue(book.tree);
  CHECK_THROWS_WITH_AS(find_exercise(catalogue, "2.2"),
                       "there is no exercise 2.2; chapter 2 has 2.1, 2.3",
                       Problem);
  CHECK_THROWS_WITH_AS(find_exercise(catalogue, "3.1"),
                       "there is no exercise 3.1; chapters with exercises: 2",
                       Problem);
  for (const char* wrong : {"2", "2.", ".1", "2.1.1", "two", "", "-2.1", "2,1",
                            "2.1 ", "99999999999.1"}) {
    CHECK_THROWS_AS(find_exercise(catalogue, wrong), Problem);
  }
}

TEST_CASE("another exercise or another check is another version") {
  const ScratchBook book;
  book.add("02_two", "1_first", header);
  const Catalogue catalogue = read_catalogue(book.tree);
  const std::string version = shipped_version(catalogue[0]);
  CHECK(shipped_version(catalogue[0]) == version);
  book.write("chapters/02_two/checks/1_first.cpp", "other checks\n");
  const std::string other_check = shipped_version(catalogue[0]);
  CHECK(other_check != version);
  book.write("chapters/02_two/exercises/1_first.cpp", "other text\n");
  CHECK(shipped_version(catalogue[0]) != other_check);
}
