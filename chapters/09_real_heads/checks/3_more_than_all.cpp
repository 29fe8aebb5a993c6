#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <vector>

mha::Matrix<double> word_map(const mha::Matrix<double>& weights,
                             const std::vector<mha::Index>& word_of);

TEST_CASE("words of one piece keep their map") {
  const mha::Matrix<double> map{{0.25, 0.75}, {0.5, 0.5}};
  mha::expect_close(word_map(map, {0, 1}), map, 1e-15, "two words, two pieces",
                    "Nothing is to be joined here.");
}

TEST_CASE("a map of words has rows that sum to 1") {
  const mha::Matrix<double> map{
      {0.1, 0.2, 0.7}, {0.3, 0.3, 0.4}, {0.5, 0.25, 0.25}};
  const mha::Matrix<double> got = word_map(map, {0, 0, 1});
  const mha::Matrix<double> expected{{0.45, 0.55}, {0.75, 0.25}};
  mha::expect_close(got, expected, 1e-12,
                    "pieces 0 and 1 are word 0, piece 2 is word 1",
                    "Word 0 looks as its two pieces do on average. It does not "
                    "have two shares to give.");
}

TEST_CASE("one word that is everything looks at itself with 1") {
  mha::expect_close(word_map(mha::Matrix<double>::Constant(4, 4, 0.25),
                             {0, 0, 0, 0}),
                    mha::Matrix<double>::Ones(1, 1), 1e-12,
                    "four pieces, one word", "There is nowhere else to look.");
}
