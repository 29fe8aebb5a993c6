#include "scratch_book.hpp"

#include "reader/exercises/diagnostics.hpp"

#include <doctest/doctest.h>

using reader::Diagnostic;
using reader::read_diagnostics;

namespace {

const char* const mine = "/b k/my/02_1_x.cpp";

std::vector<Diagnostic> diagnostics(const std::string& log) {
  return read_diagnostics(log, mine);
}

}  // namespace

TEST_CASE("a text with too many {} is blamed on the line that has it") {
  const auto found = reader::read_diagnostics(
      "my/04_2_x.cpp: In function 'int f(int)':\n"
      "my/04_2_x.cpp:29:15:   in \u2018constexpr\u2019 expansion of "
      "\u2018fmt::v9::basic_format_string<char, int>(\"{} and {}\")\u2019\n"
      "/usr/include/fmt/core.h:3092:44:   in \u2018constexpr\u2019 expansion "
      "of \u2018fmt::v9::detail::parse_format_string()\u2019\n"
      "/usr/include/fmt/core.h:2879:27: error: call to "
      "non-\u2018constexpr\u2019 function \u2018void "
      "fmt::v9::detail::error_handler::on_error(const char*)\u2019\n",
      "my/04_2_x.cpp");
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 29);
  CHECK(found[0].is_error);
  CHECK(found[0].message.find("other {} than values") != std::string::npos);
}

TEST_CASE("errors and warnings of the reader's file are read from a log") {
  const auto found = diagnostics(
      "[1/2] Building CXX object x.o\nFAILED: x.o \n/usr/bin/c++ -c x\n"
      "/b k/my/02_1_x.cpp: In function ‘void f()’:\n"
      "/b k/my/02_1_x.cpp:16:68: error: expected ‘;’ before ‘}’ token\n"
      "   16 |   return rows\n"
      "/b k/my/02_1_x.cpp:9:7: warning: unused variable ‘a’ "
      "[-Wunused-variable]\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 16);
  CHECK(found[0].column == 68);
  CHECK(found[0].is_error);
  CHECK(found[0].message == "expected ‘;’ before ‘}’ token");
  CHECK_FALSE(found[1].is_error);
  CHECK(found[1].message == "unused variable ‘a’");
}

TEST_CASE("a missing header is an error of the reader's file") {
  const auto found = diagnostics(
      "/b k/my/02_1_x.cpp:1:10: fatal error: no.hpp: No such file\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "no.hpp: No such file");
}

TEST_CASE("colours in a log do not hide an error") {
  const auto found =
      diagnostics("\x1b[1m/b k/my/02_1_x.cpp:3:1: \x1b[31merror: \x1b[0mno\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 3);
}

TEST_CASE("an error in a library is told at the line that uses it, once") {
  const auto gcc = diagnostics(
      "/usr/include/L.h: In instantiation of ‘struct A<int>’:\n"
      "/usr/include/L.h:9:7:   required from ‘struct B<int>’\n"
      "/b k/my/02_1_x.cpp:11:60:   required from here\n"
      "/usr/include/L.h:29:127: error: static assertion failed: THE_SIZES__DIFFER\n"
      "/b k/my/02_1_x.cpp:11:60:   required from here\n"
      "/usr/include/L.h:30:1: error: and so on\n");
  REQUIRE(gcc.size() == 1);
  CHECK(gcc[0].line == 11);
  CHECK(
      gcc[0].message.starts_with("static assertion failed: the sizes differ"));

  const auto clang = diagnostics(
      "/usr/include/L.h:29:1: error: static assertion failed: THE_SIZES__DIFFER\n"
      "/usr/include/L.h:9:7: note: in instantiation of template class 'B' "
      "requested here\n"
      "/b k/my/02_1_x.cpp:11:60: note: in instantiation of member function "
      "'C' requested here\n");
  REQUIRE(clang.size() == 1);
  CHECK(clang[0].line == 11);
  CHECK(clang[0].message.starts_with(
      "static assertion failed: the sizes differ"));
}

TEST_CASE("float that meets double is told in words") {
  const auto found = diagnostics(
      "/b k/my/02_1_x.cpp:11:60:   required from here\n"
      "/usr/include/L.h:29:127: error: static assertion failed: "
      "YOU_MIXED_DIFFERENT_NUMERIC_TYPES__YOU_NEED_TO_USE_THE_CAST_METHOD\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.starts_with("two kinds of numbers meet"));
}

TEST_CASE("the reader's own errors come before those in a library") {
  const auto found = diagnostics(
      "/b k/my/02_1_x.cpp:11:60:   required from here\n"
      "/usr/include/L.h:29:127: error: deep inside\n"
      "/b k/my/02_1_x.cpp:20:1: error: a missing semicolon\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 20);
}

TEST_CASE("an error in a file that has nothing to do with it is not told") {
  CHECK(diagnostics("/b k/src/y.cpp:3:1: error: no\n").empty());
  CHECK(diagnostics("/b k/my/02_1_x.cpp:3:1: note: declared here\n").empty());
}

TEST_CASE("what the linker misses is told by its name") {
  for (const char* log :
       {"/usr/bin/ld: a.o: in function `T()':\nc.cpp:(.text+0x1): undefined "
        "reference to `softmax_row(Eigen::Matrix<double, 1, -1> const&)'\n",
        "ld.lld: error: undefined symbol: softmax_row(Eigen::Matrix<int>)\n"}) {
    const auto found = diagnostics(log);
    REQUIRE(found.size() == 1);
    CHECK(found[0].line == 0);
    CHECK(found[0].message.starts_with("softmax_row is not defined"));
  }
  const auto twice = diagnostics(
      "/usr/bin/ld: y.o: in function `main': multiple definition of `main'; "
      "x.o: first defined here\n");
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].message.starts_with("main is defined twice"));
}

TEST_CASE("types do not fill the screen") {
  const auto found = diagnostics(
      "/b k/my/02_1_x.cpp:1:1: error: no match for ‘mha::Matrix<double>’ {aka "
      "‘Eigen::Matrix<double, -1, -1, 1>’} and " +
      std::string(9000, 'x'));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("aka") == std::string::npos);
  CHECK(found[0].message.size() < 400);
}

TEST_CASE("a diagnostic is shown with its line of source, in 80 columns") {
  const reader::ScratchBook book;
  book.write("my/02_1_x.cpp", "one\n  two three\n");
  Diagnostic diagnostic;
  diagnostic.line = 2;
  diagnostic.column = 7;
  diagnostic.message = "expected something else, such as a word that is longer";
  const std::string text = shown(diagnostic, book.tree.my() / "02_1_x.cpp");
  CHECK(text.find("02_1_x.cpp:2: error: expected") != std::string::npos);
  CHECK(text.ends_with("     2 |   two three\n       |       ^\n"));
  diagnostic.line = 0;
  CHECK(shown(diagnostic, book.tree.my() / "02_1_x.cpp").find('|') ==
        std::string::npos);
}
