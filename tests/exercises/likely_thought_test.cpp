#include "exercise/likely_thought.hpp"

#include "scratch_book.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

// What a check with these lines in its head says of an answer.
std::string thought(double answer, const std::string& head) {
  const reader::ScratchBook book;
  book.write("check.cpp", head + "int code;\n// wrong: other | not the head\n");
  return mha::likely_thought(answer, (book.tree.root / "check.cpp").string());
}

}  // namespace

TEST_CASE("the first line whose numbers an answer is among is said, whole") {
  const std::string head =
      "// Checks\n//\n// wrong: 20 | twenty,\n//   a score\n// wrong: -0.5 "
      "within 0.1 | a half\n// wrong: from 48 | many\n// wrong: to -9 | few\n";
  CHECK(thought(20, head) == "twenty, a score");
  CHECK(thought(20.5, head) == "");
  CHECK(thought(-0.59, head) == "a half");
  CHECK(thought(-0.61, head) == "");
  CHECK(thought(48, head) == "many");
  CHECK(thought(47.9, head) == "");
  CHECK(thought(-9, head) == "few");
  CHECK(thought(-8.9, head) == "");
  CHECK(thought(20.5, head + "// wrong: other | else\n") == "else");
  CHECK(thought(20, head + "// wrong: other | else\n") == "twenty, a score");
}

TEST_CASE("an empty head says nothing, and code below it is no head") {
  CHECK(thought(1, "") == "");
}

TEST_CASE("a line that is not understood is refused, whatever the answer") {
  for (const char* line :
       {"20", "many | text", "20 within | text", "20 about 3 | text",
        "20 30 | text", "from | text", "20x | text", " | text",
        "other 3 | text", "ch99.no_such_value | text"}) {
    CAPTURE(line);
    const std::string head =
        fmt::format("// wrong: 1 | x\n// wrong: {}\n", line);
    CHECK_THROWS_AS(thought(1, head), std::invalid_argument);
  }
}

TEST_CASE("a check that cannot be read is named") {
  CHECK_THROWS_WITH_AS(mha::likely_thought(1, "/no/such/check.cpp"),
                       doctest::Contains("/no/such/check.cpp cannot be read"),
                       std::invalid_argument);
}
