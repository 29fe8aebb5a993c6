#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <utility>

double average_rises(mha::Index n);

namespace {

void expect_near(mha::Index n, double right, std::string_view lesson) {
  const double got = average_rises(n);
  // Written so that NaN fails.
  mha::expect(std::abs(got - right) <= 0.03 * right,
              fmt::format("n = {}\nexpected about {:.3f}, got {:.3f}\n{}", n,
                          right, got, lesson));
}

}  // namespace

TEST_CASE("it is right for one key and for two") {
  expect_near(1, 1, "A single key raises the maximum, from minus infinity.");
  expect_near(2, 1.5, "The second key is the larger one in half of the cases.");
}

TEST_CASE("it is right for many keys") {
  // 1 + 1/2 + ... + 1/n, added up in double precision by hand.
  const std::pair<mha::Index, double> known[] = {
      {3, 11.0 / 6}, {10, 2.92896825}, {1000, 7.48547086}, {100000, 12.0901461}};
  for (const auto& [n, right] : known) {
    expect_near(n, right,
                "Half of the keys cannot raise it: the longer the text, the "
                "harder it is to be the largest so far. How likely is it for "
                "key j?");
  }
}
