#include "exercise/exercise.hpp"

#include "mha/generator.hpp"
#include "mha/strided.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using Tensor = mha::StridedTensor<double>;

Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v,
              const Tensor& real, mha::Index n_heads);

namespace {

using mha::Index;
using mha::Shape;

Tensor zeros(const Shape& shape) {
  return Tensor(
      std::vector<double>(static_cast<std::size_t>(mha::element_count(shape))),
      shape);
}

Tensor random_tensor(mha::TorchGenerator& generator, const Shape& shape) {
  const mha::Matrix<double> drawn =
      generator.normal(1, mha::element_count(shape)).cast<double>();
  return Tensor({drawn.data(), drawn.data() + drawn.size()}, shape);
}

// (items, tokens): item i has lengths[i] real tokens, then padding.
Tensor real_tokens(const std::vector<Index>& lengths, Index tokens) {
  const Tensor real = zeros({static_cast<Index>(lengths.size()), tokens});
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (Index j = 0; j < lengths[i]; ++j) real(static_cast<Index>(i), j) = 1;
  return real;
}

void expect_shape(const Tensor& got, const Shape& expected) {
  mha::expect(got.shape() == expected,
              fmt::format("expected shape {}, got {}.",
                          mha::shape_text(expected),
                          mha::shape_text(got.shape())));
}

// The shares that a query takes who finds all keys equal.
std::vector<double> equal_shares(const Tensor& real, Index item) {
  const Index tokens = real.shape()[1];
  double count = 0;
  for (Index j = 0; j < tokens; ++j) count += real(item, j);
  std::vector<double> shares;
  for (Index j = 0; j < tokens; ++j) shares.push_back(real(item, j) / count);
  return shares;
}

// Few roundings of numbers below 1; NaN is far from everything.
bool equal(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (!(std::abs(a[j] - b[j]) <= 1e-12)) return false;
  }
  return true;
}

std::string text(const std::vector<double>& numbers) {
  std::string line;
  for (const double x : numbers) line += fmt::format(" {:.3f}", x);
  return line;
}

std::string whose(const std::vector<double>& got, const Tensor& real) {
  for (Index item = 0; item < real.shape()[0]; ++item) {
    if (equal(got, equal_shares(real, item))) {
      return fmt::format("These are equal shares among the real tokens of item "
                         "{}.", item);
    }
  }
  return "These are equal shares among no item's real tokens.";
}

// All queries are 0, so that all keys fit alike, and value j is 1 in column j
// of every head: the output of a head shows its weights.
void expect_own_padding(const std::vector<Index>& lengths, Index heads) {
  constexpr Index tokens = 4;
  const Index items = static_cast<Index>(lengths.size());
  const Tensor real = real_tokens(lengths, tokens);
  const Tensor nothing = zeros({items, tokens, heads * tokens});
  const Tensor v = zeros({items, tokens, heads * tokens});
  for (Index b = 0; b < items; ++b)
    for (Index j = 0; j < tokens; ++j)
      for (Index h = 0; h < heads; ++h) v(b, j, h * tokens + j) = 1;
  const Tensor got = attend(nothing, nothing, v, real, heads);
  expect_shape(got, v.shape());
  for (Index b = 0; b < items; ++b)
    for (Index h = 0; h < heads; ++h)
      for (Index i = 0; i < tokens; ++i) {
        std::vector<double> weights;
        for (Index j = 0; j < tokens; ++j) {
          weights.push_back(got(b, i, h * tokens + j));
        }
        const std::vector<double> expected = equal_shares(real, b);
        mha::expect(
            equal(weights, expected),
            fmt::format("{} items of {} tokens, {} heads, all keys fit "
                        "alike\nitem {}, head {}: expected weights{}\n"
                        "item {}, head {}: got weights     {}\n{}",
                        items, tokens, heads, b, h, text(expected), b, h,
                        text(weights), whose(weights, real)));
      }
}

// The definition, term by term.
Tensor by_definition(const Tensor& q, const Tensor& k, const Tensor& v,
                     const Tensor& real, Index heads) {
  const Index d = q.shape()[2] / heads;
  const Tensor output = zeros(q.shape());
  for (Index b = 0; b < q.shape()[0]; ++b)
    for (Index i = 0; i < q.shape()[1]; ++i)
      for (Index h = 0; h < heads; ++h) {
        double total = 0;
        for (Index j = 0; j < k.shape()[1]; ++j) {
          double dot = 0;
          for (Index c = h * d; c < (h + 1) * d; ++c) {
            dot += q(b, i, c) * k(b, j, c);
          }
          const double e =
              real(b, j) * std::exp(dot / std::sqrt(static_cast<double>(d)));
          total += e;
          for (Index c = h * d; c < (h + 1) * d; ++c) {
            output(b, i, c) += e * v(b, j, c);
          }
        }
        for (Index c = h * d; c < (h + 1) * d; ++c) output(b, i, c) /= total;
      }
  return output;
}

void expect_definition(const std::vector<Index>& lengths, Index heads,
                       const std::string& given) {
  mha::TorchGenerator generator(53);
  const Index items = static_cast<Index>(lengths.size());
  const Tensor q = random_tensor(generator, {items, 4, heads * 2});
  const Tensor k = random_tensor(generator, {items, 5, heads * 2});
  const Tensor v = random_tensor(generator, {items, 5, heads * 2});
  const Tensor real = real_tokens(lengths, 5);
  const Tensor got = attend(q, k, v, real, heads);
  const Tensor expected = by_definition(q, k, v, real, heads);
  expect_shape(got, q.shape());
  for (Index b = 0; b < items; ++b)
    for (Index i = 0; i < 4; ++i)
      for (Index c = 0; c < heads * 2; ++c) {
        mha::expect(std::abs(got(b, i, c) - expected(b, i, c)) <= 1e-12,
                    fmt::format("{}\nitem {}, query {}, head {}: expected "
                                "{:.6g}, got {:.6g}\nEach head of each item "
                                "reads its own queries, keys, values and "
                                "padding, and writes to its own columns.",
                                given, b, i, c / 2, expected(b, i, c),
                                got(b, i, c)));
      }
}

}  // namespace

TEST_CASE("every head uses the padding of its own item") {
  expect_own_padding({2, 4}, 3);
  expect_own_padding({3, 1, 4}, 2);
}

TEST_CASE("it equals the definition with sizes that all differ") {
  expect_definition({2, 5}, 3, "2 items of 2 and 5 real tokens, 3 heads");
  expect_definition({4, 1, 3}, 2, "3 items of 4, 1 and 3 real tokens, 2 heads");
}

TEST_CASE("it is still right where it was right before") {
  expect_definition({3}, 3, "one item, 3 heads");
  expect_definition({4, 4}, 3, "2 items of one length, 3 heads");
  expect_definition({2, 5}, 1, "2 items, one head");
}
