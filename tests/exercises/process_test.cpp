#include "reader/exercises/process.hpp"
#include "reader/exercises/terminal.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <string>

using reader::BoundedText;
using reader::Outcome;
using How = reader::Outcome::How;

namespace {

Outcome shell(const std::string& text, int time_limit = 20) {
  return reader::run_program({"sh", "-c", text},
                             {.time_limit = time_limit, .on_second = {}});
}

}  // namespace

TEST_CASE("a program's output, both kinds, and its status come back") {
  const Outcome outcome = shell("echo out; echo err >&2; exit 3");
  CHECK(outcome.how == How::exited);
  CHECK(outcome.code == 3);
  CHECK(outcome.output == "out\nerr\n");
}

TEST_CASE("a program has nothing to read") {
  CHECK(shell("read line || echo end").output == "end\n");
}

TEST_CASE("a program that is not there ends with 127") {
  CHECK(reader::run_program({"/no/such/program"},
                            {.time_limit = 5, .on_second = {}})
            .code == 127);
}

TEST_CASE("the end by a signal is told apart") {
  const Outcome outcome = shell("kill -SEGV $$");
  CHECK(outcome.how == How::signalled);
  CHECK(outcome.code == SIGSEGV);
}

TEST_CASE("a program without end is ended at its limit, with its children") {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = shell("echo begun; sleep 600 & sleep 600", 1);
  CHECK(outcome.how == How::timed_out);
  CHECK(outcome.output == "begun\n");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("a program that closes its output and runs on is ended too") {
  CHECK(shell("exec >/dev/null 2>&1; sleep 600", 1).how == How::timed_out);
}

TEST_CASE("a child that is left behind does not keep the caller waiting") {
  const Outcome outcome = shell("sleep 600 & echo done", 60);
  CHECK(outcome.how == How::exited);
  CHECK(outcome.output == "done\n");
}

TEST_CASE("of output without end the beginning and the end are kept") {
  BoundedText text(10);
  text.add("beginning ");
  for (int i = 0; i < 1000; ++i) text.add("middle ");
  text.add("the end");
  CHECK(text.text().starts_with("beginning \n[...]\n"));
  CHECK(text.text().ends_with("the end"));
  CHECK(text.text().size() < 60);
  BoundedText shorter(10);
  shorter.add("seventeen letters");
  CHECK(shorter.text() == "seventeen letters");
}

TEST_CASE("shown output has no control characters and not too many lines") {
  CHECK(reader::presentable("a\tb\x1b[31mred\n") == "a b?[31mred\n");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += std::to_string(i) + "\n";
  const std::string text = reader::presentable(many);
  CHECK(text.starts_with("0\n1\n"));
  CHECK(text.find("59\n[900 lines are left out here]\n960\n") !=
        std::string::npos);
  CHECK(text.ends_with("999\n"));
  CHECK(reader::presentable(std::string(100000, 'x')).size() < 500);
}

TEST_CASE("a paragraph is broken at spaces, by characters and not by bytes") {
  std::string words;
  for (int i = 0; i < 40; ++i) words += "äöü ";
  const std::string text = reader::wrapped(words, "  ");
  // 20 words of 3 letters fill 79 columns.
  CHECK(text.find('\n') == 20 * 7 - 1);
  CHECK(text[20 * 7] == ' ');
  CHECK(reader::wrapped("short") == "short\n");
}
