#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <vector>

std::vector<double> split_heads(const mha::Matrix<double>& rows,
                                mha::Index n_heads);
mha::Matrix<double> merge_heads(const std::vector<double>& flat,
                                mha::Index n_heads, mha::Index tokens);

namespace {

using mha::Index;
using mha::Matrix;

// A number that says whose it is: 123 is head 1, token 2, channel 3.
double label(Index head, Index token, Index channel) {
  return static_cast<double>(100 * head + 10 * token + channel);
}

std::string read_label(double number) {
  const int n = static_cast<int>(number);
  if (!(number >= 0 && number < 1000) || n != number) {
    return fmt::format("{}, which is not among the numbers given", number);
  }
  return fmt::format("head {}, token {}, channel {}", n / 100, n / 10 % 10,
                     n % 10);
}

// No two sizes are equal, so that no two axes can be swapped unseen.
constexpr Index tokens = 5, heads = 3, d_head = 4;
constexpr const char* sizes = "5 tokens, 3 heads, 4 numbers a head";

Matrix<double> labelled_rows() {
  Matrix<double> rows(tokens, heads * d_head);
  for (Index t = 0; t < tokens; ++t)
    for (Index h = 0; h < heads; ++h)
      for (Index c = 0; c < d_head; ++c) {
        rows(t, h * d_head + c) = label(h, t, c);
      }
  return rows;
}

std::vector<double> labelled_run() {
  std::vector<double> flat;
  for (Index h = 0; h < heads; ++h)
    for (Index t = 0; t < tokens; ++t)
      for (Index c = 0; c < d_head; ++c) flat.push_back(label(h, t, c));
  return flat;
}

}  // namespace

TEST_CASE("splitting puts each head in one piece") {
  const std::vector<double> got = split_heads(labelled_rows(), heads);
  const std::vector<double> expected = labelled_run();
  mha::expect(got.size() == expected.size(),
              fmt::format("{}\nexpected a run of 60 numbers, got {}.", sizes,
                          got.size()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    mha::expect(
        got[i] == expected[i],
        fmt::format("{}\nnumber {} of the run\nexpected {}\ngot      "
                    "{}\nThe run begins with all of head 0: the 4 numbers of "
                    "token 0, then those of token 1, and so on to token "
                    "4. Where token 0 of head 1 comes straight after "
                    "token 0 of head 0, nothing was moved.",
                    sizes, i, read_label(expected[i]), read_label(got[i])));
  }
}

TEST_CASE("merging puts the heads of a token side by side") {
  const Matrix<double> got = merge_heads(labelled_run(), heads, tokens);
  const Matrix<double> expected = labelled_rows();
  mha::expect(got.rows() == tokens && got.cols() == heads * d_head,
              fmt::format("{}\nexpected 5 x 12, got {} x {}.", sizes,
                          got.rows(), got.cols()));
  for (Index t = 0; t < tokens; ++t) {
    for (Index column = 0; column < got.cols(); ++column) {
      mha::expect(got(t, column) == expected(t, column),
                  fmt::format("{}\nrow {}, column {}\nexpected {}\ngot      "
                              "{}\nA row belongs to one token. Where it holds "
                              "other tokens, the run was cut into rows as it "
                              "lay, and the heads' pieces became rows.",
                              sizes, t, column, read_label(expected(t, column)),
                              read_label(got(t, column))));
    }
  }
}

TEST_CASE("merging undoes splitting, for any sizes") {
  mha::TorchGenerator generator(9);
  for (int trial = 0; trial < 50; ++trial) {
    const Index t = 1 + generator.integer(7);
    const Index h = 1 + generator.integer(5);
    const Index d = 1 + generator.integer(6);
    const Matrix<double> rows = generator.normal(t, h * d).cast<double>();
    mha::expect_close(
        merge_heads(split_heads(rows, h), h, t), rows, 0,
        fmt::format("{} tokens, {} heads, {} numbers a head", t, h, d),
        "Splitting and merging only move numbers.");
  }
}
