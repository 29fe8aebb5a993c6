#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <vector>

std::vector<mha::Index> tokens_back(mha::Index length, mha::Index slots);

namespace {

using mha::Index;

std::string text(const std::vector<Index>& numbers) {
  std::string all;
  for (const Index n : numbers) all += fmt::format(" {}", n);
  return all;
}

void expect_distances(Index length, Index slots) {
  std::vector<Index> expected(static_cast<std::size_t>(slots), -1);
  for (Index back = 0; back < std::min(length, slots); ++back) {
    expected[static_cast<std::size_t>((length - 1 - back) % slots)] = back;
  }
  const std::vector<Index> got = tokens_back(length, slots);
  mha::expect(got == expected,
              fmt::format("{} tokens, {} slots\nexpected{}\ngot     {}\n{}",
                          length, slots, text(expected), text(got),
                          length > slots
                              ? "Every slot is taken here, so none is empty."
                              : "The ring has not gone round here: what was "
                                "not fed yet is empty, -1."));
}

}  // namespace

TEST_CASE("distances are right before the ring has gone round") {
  for (Index length = 0; length <= 5; ++length) expect_distances(length, 5);
  expect_distances(1, 1);
}

TEST_CASE("distances are right when the ring has gone round") {
  for (const Index slots : {3, 4, 7}) {
    for (Index length = slots + 1; length < 3 * slots + 2; ++length) {
      expect_distances(length, slots);
    }
  }
  expect_distances(1'000'000'007, 4);
}
