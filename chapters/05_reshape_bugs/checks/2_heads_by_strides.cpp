#include "exercise/exercise.hpp"

#include "mha/strided.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using Tensor = mha::StridedTensor<double>;

Tensor split_heads(const Tensor& rows, mha::Index n_heads);
Tensor merge_heads(const Tensor& heads);

namespace {

using mha::Index;
using mha::Shape;

// No two sizes are equal, so that no two axes can be swapped unseen.
constexpr Index batch = 2, tokens = 5, heads = 3, d_head = 4;
constexpr const char* sizes = "2 items, 5 tokens, 3 heads, 4 numbers a head";

// A number that says whose it is: 1230 is item 1, head 2, token 3, channel 0.
double label(Index b, Index h, Index t, Index c) {
  return static_cast<double>(1000 * b + 100 * h + 10 * t + c);
}

std::string read_label(double number) {
  const int n = static_cast<int>(number);
  if (!(number >= 0 && number < 10000) || n != number) {
    return fmt::format("{}, which is not among the numbers given", number);
  }
  return fmt::format("item {}, head {}, token {}, channel {}", n / 1000,
                     n / 100 % 10, n / 10 % 10, n % 10);
}

Tensor labelled_rows() {
  std::vector<double> values;
  for (Index b = 0; b < batch; ++b)
    for (Index t = 0; t < tokens; ++t)
      for (Index h = 0; h < heads; ++h)
        for (Index c = 0; c < d_head; ++c) {
          values.push_back(label(b, h, t, c));
        }
  return Tensor(std::move(values), {batch, tokens, heads * d_head});
}

// As a computation leaves them that writes each head in one piece.
Tensor labelled_heads() {
  return labelled_rows()
      .view({batch, tokens, heads, d_head})
      .transpose(1, 2)
      .contiguous();
}

void expect_shape(const Tensor& got, const Shape& expected) {
  mha::expect(
      got.shape() == expected,
      fmt::format("{}\nexpected shape {}, got {}.", sizes,
                  mha::shape_text(expected), mha::shape_text(got.shape())));
}

void expect_heads(const Tensor& got, const std::string& given) {
  expect_shape(got, {batch, heads, tokens, d_head});
  for (Index b = 0; b < batch; ++b)
    for (Index h = 0; h < heads; ++h)
      for (Index t = 0; t < tokens; ++t)
        for (Index c = 0; c < d_head; ++c) {
          mha::expect(
              got(b, h, t, c) == label(b, h, t, c),
              fmt::format("{}\n{}\nexpected {}\ngot      {}\nOne view to (B, "
                          "H, T, d_head) has the right shape and reads memory "
                          "in the order in which it lies: token after token.",
                          given, sizes, read_label(label(b, h, t, c)),
                          read_label(got(b, h, t, c))));
        }
}

// The queries of a packed projection (B, T, 3 H d_head).
Tensor slice_of_packed() {
  const Index width = heads * d_head;
  const Tensor packed(
      std::vector<double>(static_cast<std::size_t>(batch * tokens * 3 * width)),
      {batch, tokens, 3 * width});
  const Tensor queries = packed.narrow(2, 0, width);
  const Tensor rows = labelled_rows();
  for (Index b = 0; b < batch; ++b)
    for (Index t = 0; t < tokens; ++t)
      for (Index c = 0; c < width; ++c) queries(b, t, c) = rows(b, t, c);
  return queries;
}

}  // namespace

TEST_CASE("head h of token t holds what the projection made for it") {
  expect_heads(split_heads(labelled_rows(), heads), "rows in order");
}

TEST_CASE("splitting works on views of rows, too") {
  expect_heads(split_heads(slice_of_packed(), heads),
               "rows that are a slice of a packed projection");
  expect_heads(
      split_heads(labelled_rows().transpose(0, 1).contiguous().transpose(0, 1),
                  heads),
      "rows whose tokens lie before the batch");
}

TEST_CASE("splitting copies nothing") {
  for (const Tensor& rows :
       {labelled_rows(), slice_of_packed(),
        labelled_rows().transpose(0, 1).contiguous().transpose(0, 1)}) {
    mha::expect(
        split_heads(rows, heads).shares_storage_with(rows),
        fmt::format("rows of shape {} and strides {}\nThe heads lie in other "
                    "memory than the rows: something copied. Cutting one "
                    "dimension in two never needs to; exchange dimensions "
                    "after it, not before.",
                    mha::shape_text(rows.shape()),
                    mha::shape_text(rows.strides())));
  }
}

TEST_CASE("merging puts the heads of a token side by side") {
  const Tensor got = merge_heads(labelled_heads());
  expect_shape(got, {batch, tokens, heads * d_head});
  const Tensor expected = labelled_rows();
  for (Index b = 0; b < batch; ++b)
    for (Index t = 0; t < tokens; ++t)
      for (Index column = 0; column < heads * d_head; ++column) {
        mha::expect(
            got(b, t, column) == expected(b, t, column),
            fmt::format("{}\nitem {}, row {}, column {}\nexpected {}\ngot      "
                        "{}\nA row belongs to one token. Heads first, the next "
                        "token of the same head comes next in memory, so "
                        "tokens and heads must change places before they are "
                        "joined.",
                        sizes, b, t, column, read_label(expected(b, t, column)),
                        read_label(got(b, t, column))));
      }
}

TEST_CASE("merging copies only where no view exists") {
  const Tensor rows = labelled_rows();
  const Tensor split =
      rows.view({batch, tokens, heads, d_head}).transpose(1, 2);
  mha::expect(merge_heads(split).shares_storage_with(rows),
              "heads that are views of rows\nMerging them straight away gives "
              "the rows as they lie, and needs no copy.");
  const Tensor one_token = labelled_heads().narrow(2, 1, 1).contiguous();
  mha::expect(merge_heads(one_token).shares_storage_with(one_token),
              "one token\nIts heads lie side by side already, and need no "
              "copy.");
}
