#include "exercise/exercise.hpp"

#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <vector>

mha::Index keys_seen(mha::Causal causal, mha::Index query, mha::Index n_queries,
                     mha::Index n_keys);

namespace {

using mha::Causal;
using mha::Index;
using mha::Matrix;

const char* name(Causal causal) {
  switch (causal) {
    case Causal::none: return "none";
    case Causal::top_left: return "top_left";
    case Causal::bottom_right: break;
  }
  return "bottom_right";
}

// How many keys each of n queries sees, as a row.
Matrix<double> counts(Causal causal, Index n_queries, Index n_keys) {
  Matrix<double> row(1, n_queries);
  for (Index i = 0; i < n_queries; ++i) {
    row(0, i) = static_cast<double>(keys_seen(causal, i, n_queries, n_keys));
  }
  return row;
}

void expect_counts(Causal causal, Index n_keys, const Matrix<double>& expected,
                   std::string_view lesson) {
  mha::expect_close(
      counts(causal, expected.cols(), n_keys), expected, 0,
      fmt::format("{}, queries: {}, keys: {}. How many does each query see?",
                  name(causal), expected.cols(), n_keys),
      lesson);
}

}  // namespace

TEST_CASE("with as many queries as keys each sees itself and all before") {
  const Matrix<double> stairs = Matrix<double>{{1, 2, 3}};
  expect_counts(Causal::top_left, 3, stairs,
                "Query 0 sees key 0 and no other.");
  expect_counts(Causal::bottom_right, 3, stairs,
                "The corners agree when the numbers do.");
}

TEST_CASE("one new token sees every key there is") {
  expect_counts(Causal::bottom_right, 4, Matrix<double>{{4}},
                "The last query is lined up with the last key. If you got 1: "
                "that is top_left, where a new token sees the oldest key and "
                "nothing else.");
  expect_counts(Causal::top_left, 4, Matrix<double>{{1}},
                "The first query is lined up with the first key.");
  expect_counts(Causal::bottom_right, 5, Matrix<double>{{4, 5}},
                "The last query sees all, the one before it one key less.");
  expect_counts(Causal::top_left, 5, Matrix<double>{{1, 2}},
                "The first query sees one key, the next one more.");
}

TEST_CASE("with more queries than keys none sees too many or too few") {
  expect_counts(Causal::top_left, 2, Matrix<double>{{1, 2, 2, 2}},
                "There are only 2 keys to see.");
  expect_counts(Causal::bottom_right, 2, Matrix<double>{{0, 0, 1, 2}},
                "Two queries come before the first key and see none; a number "
                "of keys is never negative.");
}

TEST_CASE("where nothing is causal every query sees every key") {
  for (const Index n_keys : {1, 3, 5}) {
    expect_counts(Causal::none, n_keys,
                  Matrix<double>::Constant(1, 3, static_cast<double>(n_keys)),
                  "none hides no key from anyone.");
  }
}

TEST_CASE("reading in pieces gives what reading at once gives") {
  mha::TorchGenerator generator(4);
  const Matrix<double> q = generator.normal(9, 3).cast<double>();
  const Matrix<double> k = generator.normal(9, 3).cast<double>();
  const Matrix<double> v = generator.normal(9, 2).cast<double>();
  const Matrix<double> at_once =
      mha::attention(q, k, v, {.causal = Causal::top_left}).context;
  Index read = 0;
  for (const Index piece : {4, 1, 3, 1}) {
    const Index all = read + piece;
    mha::BoolMatrix table(piece, all);
    for (Index i = 0; i < piece; ++i) {
      const Index seen = keys_seen(Causal::bottom_right, i, piece, all);
      for (Index j = 0; j < all; ++j) table(i, j) = j < seen;
    }
    mha::expect_close(
        mha::attention(q.middleRows(read, piece), k.topRows(all),
                       v.topRows(all),
                       {.pairs = mha::AttendMask::where_true_attends(table)})
            .context,
        at_once.middleRows(read, piece), 1e-12,
        fmt::format("{} new tokens after {} old ones, bottom_right", piece,
                    read),
        "Each new token must see all old ones, itself, and the new ones before "
        "it.");
    read = all;
  }
}
