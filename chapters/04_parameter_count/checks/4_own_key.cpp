#include "exercise/exercise.hpp"

#include "mha/attention.hpp"

#include <doctest/doctest.h>

mha::Matrix<double> places(mha::Index tokens);

namespace {

using mha::Index;
using mha::Matrix;

Matrix<double> places_of(Index tokens) {
  const Matrix<double> rows = places(tokens);
  mha::expect(rows.rows() == tokens && rows.cols() == 2,
              fmt::format("expected {} x 2, got {} x {}.", tokens, rows.rows(),
                          rows.cols()));
  return rows;
}

}  // namespace

TEST_CASE("every token gives its own key at least 0.9") {
  for (const Index tokens : {2, 3, 4, 7, 20, 64, 200}) {
    const Matrix<double> rows = places_of(tokens);
    const Matrix<double> weights = mha::attention(rows, rows, rows).weights;
    for (Index t = 0; t < tokens; ++t) {
      // Another key that gets at least as much, or the own one.
      Index rival = t;
      for (Index j = 0; j < tokens; ++j) {
        if (j != t && weights(t, j) >= weights(t, rival)) rival = j;
      }
      // Two tokens can meet 0.9 exactly, up to rounding.
      mha::expect(
          weights(t, t) >= 0.9 - 1e-9,
          fmt::format(
              "{} tokens, token {} lies at ({:.3g}, {:.3g})\nexpected at least "
              "0.9 for its own key\ngot      {:.3g}\n{}",
              tokens, t, rows(t, 0), rows(t, 1), weights(t, t),
              rival != t
                  ? fmt::format("Key {} gets as much or more: it lies at least "
                                "as far in the direction of token {}.",
                                rival, t)
                  : "Its own key is ahead, but not by enough. What happens to "
                    "all the gaps when every row is made longer?"));
    }
  }
}

TEST_CASE("the rows are numbers, not infinities") {
  for (const Index tokens : {2, 200}) {
    mha::expect(places_of(tokens).allFinite(),
                fmt::format("{} tokens: a row holds an infinity or NaN.",
                            tokens));
  }
}
