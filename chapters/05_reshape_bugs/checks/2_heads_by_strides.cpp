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

struct Sizes {
  Index batch, tokens, heads, d_head;
};

// No two sizes of a batch are equal, so that no two axes can be swapped unseen.
// The second has as many numbers as the first and rows as long, so that sizes
// written down for the first fit it and give the wrong shape. The rows of the
// third are shorter.
constexpr Sizes all_sizes[] = {{2, 5, 3, 4}, {5, 2, 4, 3}, {4, 3, 5, 2}};

std::string sizes_text(const Sizes& s) {
  return fmt::format("{} items, {} tokens, {} heads, {} numbers a head",
                     s.batch, s.tokens, s.heads, s.d_head);
}

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

Tensor labelled_rows(const Sizes& s) {
  std::vector<double> values;
  for (Index b = 0; b < s.batch; ++b)
    for (Index t = 0; t < s.tokens; ++t)
      for (Index h = 0; h < s.heads; ++h)
        for (Index c = 0; c < s.d_head; ++c) {
          values.push_back(label(b, h, t, c));
        }
  return Tensor(std::move(values), {s.batch, s.tokens, s.heads * s.d_head});
}

// Heads that are views of these rows.
Tensor heads_of(const Tensor& rows, const Sizes& s) {
  return rows.view({s.batch, s.tokens, s.heads, s.d_head}).transpose(1, 2);
}

// As a computation leaves them that writes each head in one piece.
Tensor labelled_heads(const Sizes& s) {
  return heads_of(labelled_rows(s), s).contiguous();
}

// From a model that puts the tokens before the batch.
Tensor tokens_first(const Sizes& s) {
  return labelled_rows(s).transpose(0, 1).contiguous().transpose(0, 1);
}

void expect_shape(const Tensor& got, const Shape& expected, const Sizes& s) {
  mha::expect(
      got.shape() == expected,
      fmt::format("{}\nexpected shape {}, got {}.\nIf other sizes passed, a "
                  "size is written down that must be read from the shape of "
                  "what comes in.",
                  sizes_text(s), mha::shape_text(expected),
                  mha::shape_text(got.shape())));
}

void expect_heads(const Tensor& got, const Sizes& s, const std::string& given) {
  expect_shape(got, {s.batch, s.heads, s.tokens, s.d_head}, s);
  for (Index b = 0; b < s.batch; ++b)
    for (Index h = 0; h < s.heads; ++h)
      for (Index t = 0; t < s.tokens; ++t)
        for (Index c = 0; c < s.d_head; ++c) {
          mha::expect(
              got(b, h, t, c) == label(b, h, t, c),
              fmt::format("{}\n{}\nexpected {}\ngot      {}\nOne view to (B, "
                          "H, T, d_head) has the right shape and reads memory "
                          "in the order in which it lies: token after token.",
                          given, sizes_text(s), read_label(label(b, h, t, c)),
                          read_label(got(b, h, t, c))));
        }
}

// The queries of a packed projection (B, T, 3 H d_head).
Tensor slice_of_packed(const Sizes& s) {
  const Index width = s.heads * s.d_head;
  const Index count = s.batch * s.tokens * 3 * width;
  const Tensor packed(std::vector<double>(static_cast<std::size_t>(count)),
                      {s.batch, s.tokens, 3 * width});
  const Tensor queries = packed.narrow(2, 0, width);
  const Tensor rows = labelled_rows(s);
  for (Index b = 0; b < s.batch; ++b)
    for (Index t = 0; t < s.tokens; ++t)
      for (Index c = 0; c < width; ++c) queries(b, t, c) = rows(b, t, c);
  return queries;
}

}  // namespace

TEST_CASE("head h of token t holds what the projection made for it") {
  for (const Sizes& s : all_sizes) {
    expect_heads(split_heads(labelled_rows(s), s.heads), s, "rows in order");
  }
}

TEST_CASE("splitting works on views of rows, too") {
  for (const Sizes& s : all_sizes) {
    expect_heads(split_heads(slice_of_packed(s), s.heads), s,
                 "rows that are a slice of a packed projection");
    expect_heads(split_heads(tokens_first(s), s.heads), s,
                 "rows whose tokens lie before the batch");
  }
}

TEST_CASE("splitting copies nothing") {
  for (const Sizes& s : all_sizes) {
    for (const Tensor& rows :
         {labelled_rows(s), slice_of_packed(s), tokens_first(s)}) {
      mha::expect(
          split_heads(rows, s.heads).shares_storage_with(rows),
          fmt::format("rows of shape {} and strides {}\nThe heads lie in other "
                      "memory than the rows: something copied. Cutting one "
                      "dimension in two never needs to; exchange dimensions "
                      "after it, not before.",
                      mha::shape_text(rows.shape()),
                      mha::shape_text(rows.strides())));
    }
  }
}

TEST_CASE("merging puts the heads of a token side by side") {
  for (const Sizes& s : all_sizes) {
    const Tensor got = merge_heads(labelled_heads(s));
    const Index width = s.heads * s.d_head;
    expect_shape(got, {s.batch, s.tokens, width}, s);
    const Tensor expected = labelled_rows(s);
    for (Index b = 0; b < s.batch; ++b)
      for (Index t = 0; t < s.tokens; ++t)
        for (Index column = 0; column < width; ++column) {
          mha::expect(
              got(b, t, column) == expected(b, t, column),
              fmt::format("{}\nitem {}, row {}, column {}\nexpected {}\n"
                          "got      {}\nA row belongs to one token. Heads "
                          "first, the next token of the same head comes next "
                          "in memory, so tokens and heads must change places "
                          "before they are joined.",
                          sizes_text(s), b, t, column,
                          read_label(expected(b, t, column)),
                          read_label(got(b, t, column))));
        }
  }
}

TEST_CASE("merging copies only where no view exists") {
  for (const Sizes& s : all_sizes) {
    const Tensor rows = labelled_rows(s);
    mha::expect(merge_heads(heads_of(rows, s)).shares_storage_with(rows),
                "heads that are views of rows\nMerging them straight away "
                "gives the rows as they lie, and needs no copy.");
    const Tensor one_token = labelled_heads(s).narrow(2, 1, 1).contiguous();
    mha::expect(merge_heads(one_token).shares_storage_with(one_token),
                "one token\nIts heads lie side by side already, and need no "
                "copy.");
  }
}
