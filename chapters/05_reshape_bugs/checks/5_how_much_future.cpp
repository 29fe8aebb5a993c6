#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <numeric>
#include <string>

mha::Index from_the_future(mha::Index tokens, mha::Index n_heads);

namespace {

using mha::Index;

struct Count {
  Index later = 0, elsewhere = 0, in_place = 0;
};

// Block by block, as the words say.
Count counted(Index tokens, Index heads) {
  Count count;
  for (Index p = 0; p < tokens * heads; ++p) {
    const Index head = p / tokens, token = p % tokens, row = p / heads;
    if (token > row) ++count.later;
    if (token != row) ++count.elsewhere;
    if (token == row && head == p % heads) ++count.in_place;
  }
  return count;
}

// Head by head: token j of head a comes from later if j (heads - 1) > a tokens.
Index by_heads(Index tokens, Index heads) {
  Index later = 0;
  for (Index a = 0; a + 1 < heads; ++a) {
    later += tokens - 1 - a * tokens / (heads - 1);
  }
  return later;
}

std::string likely_thought(Index got, Index tokens, Index heads) {
  const Count count = counted(tokens, heads);
  if (got == 0) {
    return "That would be a right merge, or one head, or one token. Block p "
           "lands in row p / H. Whose is it?";
  }
  if (got == count.elsewhere) {
    return "That counts every block in another token's row. Some of them come "
           "from an earlier token, which a causal row may see.";
  }
  if (got == tokens * heads - count.in_place) {
    return "That counts every block that is not in its place. A block in the "
           "row of its own token, at the place of another head, is no leak.";
  }
  if (got == (tokens * heads - count.in_place) / 2) {
    return "You have seen that earlier and later are equally many. But more "
           "blocks are neither than those in their place: some are in the row "
           "of their own token, at the place of another head.";
  }
  if (got == tokens * heads / 2 || got == (tokens * heads + 1) / 2) {
    return "Half of all blocks is close. Which blocks are in the row of their "
           "own token?";
  }
  if (got == (tokens * heads - heads) / 2) {
    return "Close: every head has one block in the row of its own token, and "
           "some heads have two. Which?";
  }
  return "Block p belongs to token p mod T and lands in row p / H. Count those "
         "whose token is larger than their row.";
}

double seconds_for(Index tokens, Index heads) {
  const auto start = std::chrono::steady_clock::now();
  const volatile Index result = from_the_future(tokens, heads);
  static_cast<void>(result);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       start)
      .count();
}

}  // namespace

TEST_CASE("it counts what comes from later tokens") {
  for (Index tokens = 1; tokens <= 40; ++tokens)
    for (Index heads = 1; heads <= 20; ++heads) {
      const Index expected = counted(tokens, heads).later;
      const Index got = from_the_future(tokens, heads);
      mha::expect(got == expected,
                  fmt::format("{} tokens, {} heads: expected {}, got {}\n{}",
                              tokens, heads, expected, got,
                              likely_thought(got, tokens, heads)));
    }
}

TEST_CASE("it holds at the size of a model") {
  for (const auto& [tokens, heads] :
       {std::pair<Index, Index>{512, 12}, {2048, 33}, {8192, 64}}) {
    const Index expected = counted(tokens, heads).later;
    const Index got = from_the_future(tokens, heads);
    mha::expect(got == expected,
                fmt::format("{} tokens, {} heads: expected {}, got {}\n{}",
                            tokens, heads, expected, got,
                            likely_thought(got, tokens, heads)));
  }
}

TEST_CASE("it needs no loop over the tokens") {
  constexpr Index heads = 96;
  // Grows step by step, so that a loop is noticed before it takes for ever. A
  // formula takes no time; a second try excuses a busy machine.
  constexpr double limit = 0.5;
  for (Index tokens = 95; tokens < Index{1} << 45; tokens *= 4) {
    double seconds = seconds_for(tokens, heads);
    if (seconds > limit) seconds = seconds_for(tokens, heads);
    mha::expect(seconds <= limit,
                fmt::format("{} tokens, {} heads: your answer took {:.1f} s. "
                            "Four times the tokens take four times as long, "
                            "and this check goes on. What you measure is "
                            "right. Now look for the formula behind it.",
                            tokens, heads, seconds));
    const Index expected = by_heads(tokens, heads);
    const Index got = from_the_future(tokens, heads);
    mha::expect(got == expected,
                fmt::format("{} tokens, {} heads: expected {}, got {}\nAll "
                            "numbers here need 64 bits, and whole-number "
                            "arithmetic.",
                            tokens, heads, expected, got));
  }
}
