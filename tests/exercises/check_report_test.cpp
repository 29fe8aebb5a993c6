#include "reader/exercises/build_and_run.hpp"

#include <doctest/doctest.h>

#include <csignal>

using reader::Checks;
using reader::Outcome;
using End = reader::Checks::End;

namespace {

Checks checks(int status, const std::string& output) {
  return reader::read_checks({Outcome::How::exited, status, output}, 10);
}

}  // namespace

TEST_CASE("only a run whose every check passed is passed") {
  CHECK(checks(0, "passed  a\n\n1 of 1 checks passed\n").passed);
  const Checks failed =
      checks(1, "passed  a\nFAILED  b\n        x\n\n1 of 2 checks passed\n");
  CHECK_FALSE(failed.passed);
  CHECK(failed.end == End::finished);
  CHECK(failed.first_failed == "b");
}

TEST_CASE("a program that ends early has not passed, whatever its status") {
  for (const char* output : {"", "passed  a\n", "0 of 0 checks passed\n",
                             "passed  a\n\n0 of 0 checks passed\n"}) {
    const Checks early = checks(0, output);
    CHECK_FALSE(early.passed);
    CHECK(early.end == End::left_early);
    CHECK_FALSE(early.why_stopped.empty());
  }
}

TEST_CASE("a failed check is found behind an unfinished line of the reader's") {
  CHECK(checks(1, "0.5FAILED  b\n\n0 of 1 checks passed\n").first_failed ==
        "b");
}

TEST_CASE("an assertion of the library is told without its types") {
  const Checks crash = reader::read_checks(
      {Outcome::How::signalled, SIGABRT,
       "/usr/include/c++/12/bits/stl_vector.h:1123: constexpr reference "
       "std::vector<_Tp, _Alloc>::operator[](size_type) [with _Tp = double]: "
       "Assertion '__n < this->size()' failed.\nFAILED  a\n"},
      10);
  CHECK(crash.report ==
        "        the library needs this to be true: __n < this->size()\n"
        "FAILED  a\n");
}

TEST_CASE("a crash and a run without end are told in words") {
  const Checks crash = reader::read_checks(
      {Outcome::How::signalled, SIGSEGV, "FAILED  a\n\n0 of 1 checks passed\n"},
      10);
  CHECK(crash.end == End::crashed);
  CHECK(crash.why_stopped.find("segmentation fault") != std::string::npos);
  CHECK(crash.report.find("checks passed") == std::string::npos);
  const Checks endless =
      reader::read_checks({Outcome::How::timed_out, SIGKILL, ""}, 7);
  CHECK(endless.end == End::timed_out);
  CHECK(endless.why_stopped.find("after 7 s") != std::string::npos);
}
