#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <limits>

struct Known {
  double highest;                  // of the scores so far
  double total;                    // of exp(score - highest)
  mha::RowVector<double> context;  // the same weights, times the values
};

void add_tile(Known& now, const mha::RowVector<double>& scores,
              const mha::Matrix<double>& values);

namespace {

using mha::Matrix;
using mha::RowVector;

constexpr double inf = std::numeric_limits<double>::infinity();

Known nothing_seen() { return {-inf, 0, RowVector<double>::Zero(4)}; }

RowVector<double> hidden() { return RowVector<double>::Constant(3, -inf); }

struct Tile {
  RowVector<double> scores;
  Matrix<double> values;
};

Tile random_tile(mha::TorchGenerator& generator) {
  return {generator.normal(1, 3).cast<double>(),
          generator.normal(3, 4).cast<double>()};
}

}  // namespace

TEST_CASE("a tile that is hidden changes nothing") {
  mha::TorchGenerator generator(1);
  const Tile tile = random_tile(generator);
  Known now = nothing_seen();
  add_tile(now, hidden(), tile.values);
  mha::expect(now.total == 0 && now.context.isZero(0),
              fmt::format("nothing was seen yet, and a hidden tile came\n"
                          "expected a total of 0, got {}\nWhat is exp(before "
                          "- highest) when both are minus infinity?",
                          now.total));
  add_tile(now, tile.scores, tile.values);
  Known straight = nothing_seen();
  add_tile(straight, tile.scores, tile.values);
  mha::expect(now.total == straight.total && now.context == straight.context &&
                  now.highest == straight.highest,
              "After a hidden tile a visible one must count as if it had been "
              "the first. Is the maximum still what it was?");
}

TEST_CASE("a hidden tile between two that are seen changes nothing") {
  mha::TorchGenerator generator(2);
  const Tile tile = random_tile(generator);
  Known now = nothing_seen();
  add_tile(now, tile.scores, tile.values);
  const Known before = now;
  add_tile(now, hidden(), tile.values);
  mha::expect(now.total == before.total && now.context == before.context,
              "A hidden tile has weights of 0. If the total changed, the old "
              "part was rescaled although the maximum stayed.");
}

TEST_CASE("what was right is still right") {
  mha::TorchGenerator generator(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Tile first = random_tile(generator), second = random_tile(generator);
    Known now = nothing_seen();
    add_tile(now, first.scores, first.values);
    add_tile(now, second.scores, second.values);
    RowVector<double> scores(6);
    scores << first.scores, second.scores;
    Matrix<double> values(6, 4);
    values << first.values, second.values;
    const RowVector<double> weights =
        (scores.array() - scores.maxCoeff()).exp();
    mha::expect_close(now.context / now.total, weights * values / weights.sum(),
                      1e-14, "two tiles of three keys",
                      "Both tiles are seen here. The rescaling of what was "
                      "there before has to stay.");
  }
}
