#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

using Pieces = std::map<std::string, double>;

std::vector<std::string> best_cut(const Pieces& pieces,
                                  const std::string& text);

namespace {

const Pieces small{{"a", -2},    {"b", -3},    {"ab", -4.5},
                   {"ba", -1},   {"aba", -3.5}, {"bbb", -5},
                   {"aabb", -4}, {"abababab", -15}};

double sum_of(const Pieces& pieces, const std::vector<std::string>& cut) {
  double sum = 0;
  for (const std::string& piece : cut) {
    const auto found = pieces.find(piece);
    mha::expect(found != pieces.end(),
                fmt::format("\"{}\" is no piece of the vocabulary.", piece));
    sum += found->second;
  }
  return sum;
}

// By trying every cut.
double highest_sum(const std::string& text, std::size_t begin = 0) {
  if (begin == text.size()) return 0;
  double highest = -1e9;
  for (const auto& [piece, log_probability] : small) {
    if (text.compare(begin, piece.size(), piece) == 0) {
      highest = std::max(highest,
                         log_probability +
                             highest_sum(text, begin + piece.size()));
    }
  }
  return highest;
}

std::string joined(const std::vector<std::string>& cut, const char* between) {
  std::string text;
  for (const std::string& piece : cut) {
    if (!text.empty()) text += between;
    text += piece;
  }
  return text;
}

void expect_best(const std::string& text) {
  const auto cut = best_cut(small, text);
  mha::expect(joined(cut, "") == text,
              fmt::format("the pieces of \"{}\" do not make the text again: {}",
                          text, joined(cut, "|")));
  const double got = sum_of(small, cut), best = highest_sum(text);
  mha::expect(std::abs(got - best) <= 1e-9,
              fmt::format("{} has the sum {}, but {} can be reached.\nA piece "
                          "that looks good where it begins can cost more "
                          "further on.", joined(cut, "|"), got, best));
}

}  // namespace

TEST_CASE("a text of one letter is one piece") {
  mha::expect(best_cut(small, "a") == std::vector<std::string>{"a"},
              "\"a\" is a piece.");
  mha::expect(best_cut(small, "").empty(), "An empty text has no pieces.");
}

TEST_CASE("the best of all cuts is found") {
  expect_best("abab");
  expect_best("abababab");
  mha::TorchGenerator generator(96);
  for (int trial = 0; trial < 100; ++trial) {
    std::string text;
    for (mha::Index n = 1 + generator.integer(12); n > 0; --n) {
      text += generator.integer(2) == 0 ? 'a' : 'b';
    }
    expect_best(text);
  }
}

TEST_CASE("a long text takes no longer than its length deserves") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "ab";
  // a, then "ba" 4999 times, then b.
  const double sum = sum_of(small, best_cut(small, text));
  mha::expect(std::abs(sum + 5004) <= 1e-6,
              fmt::format("10000 letters: expected the sum -5004, got {}", sum));
}
