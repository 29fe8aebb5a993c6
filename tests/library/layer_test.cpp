// The layer: cross-attention, widths that differ, no bias, and every refusal.
#include "mha/generator.hpp"
#include "mha/layer.hpp"
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

using mha::Index;
using mha::LayerWeights;
using mha::Matrix;
using mha::MultiHeadAttention;
using mha::RowVector;

struct Widths {
  Index d_model, d_key, d_value, inner;
};

Matrix<double> draw(mha::TorchGenerator& generator, Index rows, Index cols) {
  return generator.normal(rows, cols).cast<double>();
}

LayerWeights<double> draw_weights(mha::TorchGenerator& generator,
                                  const Widths& widths) {
  const auto& [d_model, d_key, d_value, inner] = widths;
  LayerWeights<double> w;
  w.w_q = draw(generator, d_model, inner);
  w.w_k = draw(generator, d_key, inner);
  w.w_v = draw(generator, d_value, inner);
  w.w_o = draw(generator, inner, d_model);
  w.b_q = draw(generator, 1, inner);
  w.b_k = draw(generator, 1, inner);
  w.b_v = draw(generator, 1, inner);
  w.b_o = draw(generator, 1, d_model);
  return w;
}

LayerWeights<double> without_bias(LayerWeights<double> w) {
  w.b_q.resize(0);
  w.b_k.resize(0);
  w.b_v.resize(0);
  w.b_o.resize(0);
  return w;
}

struct Sequences {
  Matrix<double> query, key, value;
};

Sequences draw_sequences(mha::TorchGenerator& generator, const Widths& widths,
                         Index t_q, Index t_k) {
  return {draw(generator, t_q, widths.d_model),
          draw(generator, t_k, widths.d_key),
          draw(generator, t_k, widths.d_value)};
}

// The same from the paper's sum over heads: concat W_O = sum of head_h W_O[h].
Matrix<double> sum_over_heads(const LayerWeights<double>& w, Index n_heads,
                              const Sequences& s) {
  const Index d_head = w.w_q.cols() / n_heads;
  const auto add = [](Matrix<double> y, const RowVector<double>& b) {
    if (b.size() != 0) y.rowwise() += b;
    return y;
  };
  const Matrix<double> q = add(s.query * w.w_q, w.b_q),
                       k = add(s.key * w.w_k, w.b_k),
                       v = add(s.value * w.w_v, w.b_v);
  Matrix<double> output = Matrix<double>::Zero(s.query.rows(), w.w_o.cols());
  for (Index c = 0; c < w.w_q.cols(); c += d_head) {
    const Matrix<double> scores = q.middleCols(c, d_head) *
                                  k.middleCols(c, d_head).transpose() /
                                  std::sqrt(static_cast<double>(d_head));
    Matrix<double> weights = scores.array().exp();
    for (Index i = 0; i < weights.rows(); ++i) {
      weights.row(i) /= weights.row(i).sum();
    }
    output += weights * v.middleCols(c, d_head) * w.w_o.middleRows(c, d_head);
  }
  return add(output, w.b_o);
}

// Sums of at most 30 products of numbers below a hundred, in another order.
constexpr double rounding = 1e-11;

}  // namespace

TEST_CASE("the glued heads times W_O equal the sum of every head's share") {
  mha::TorchGenerator generator(1);
  for (const Index n_heads : {1, 2, 3, 6}) {
    const Widths widths = {24, 24, 24, 24};
    const auto w = draw_weights(generator, widths);
    const auto s = draw_sequences(generator, widths, 5, 7);
    const auto result =
        MultiHeadAttention<double>(w, n_heads).forward(s.query, s.key, s.value);
    CHECK(mha::max_abs_difference(result.output,
                                  sum_over_heads(w, n_heads, s)) <= rounding);
  }
}

TEST_CASE("queries and keys may come from sequences of other lengths") {
  mha::TorchGenerator generator(2);
  const Widths widths = {6, 6, 6, 6};
  const auto w = draw_weights(generator, widths);
  const MultiHeadAttention<double> layer(w, 2);
  for (const auto& [t_q, t_k] :
       {std::pair<Index, Index>{1, 9}, {9, 1}, {4, 5}, {0, 3}, {3, 0}}) {
    const auto s = draw_sequences(generator, widths, t_q, t_k);
    const auto result = layer.forward(s.query, s.key, s.value);
    CHECK(result.output.rows() == t_q);
    CHECK(result.output.cols() == 6);
    CHECK(result.heads.rows() == t_q);
    CHECK(result.weights.size() == 2);
    CHECK(result.weights[1].rows() == t_q);
    CHECK(result.weights[1].cols() == t_k);
    if (t_k == 0) continue;
    CHECK(mha::max_abs_difference(result.output, sum_over_heads(w, 2, s)) <=
          rounding);
  }
}

TEST_CASE("keys and values of other widths give an output of the model's") {
  mha::TorchGenerator generator(3);
  const Widths widths = {24, 24, 12, 24};
  const auto w = draw_weights(generator, widths);
  const auto s = draw_sequences(generator, widths, 3, 5);
  const auto result =
      MultiHeadAttention<double>(w, 4).forward(s.query, s.key, s.value);
  CHECK(result.output.cols() == 24);
  CHECK(mha::max_abs_difference(result.output, sum_over_heads(w, 4, s)) <=
        rounding);
  CHECK(w.w_q.size() + w.w_k.size() + w.w_v.size() + w.w_o.size() == 2016);
}

TEST_CASE("heads together may be wider or narrower than the model") {
  mha::TorchGenerator generator(4);
  for (const Index inner : {4, 30}) {
    const Widths widths = {10, 10, 10, inner};
    const auto w = draw_weights(generator, widths);
    const auto s = draw_sequences(generator, widths, 3, 4);
    const MultiHeadAttention<double> layer(w, 2);
    CHECK(layer.d_head() == inner / 2);
    const auto result = layer.forward(s.query, s.key, s.value);
    CHECK(result.output.cols() == 10);
    CHECK(mha::max_abs_difference(result.output, sum_over_heads(w, 2, s)) <=
          rounding);
  }
}

TEST_CASE("a layer without biases equals one whose biases are zero") {
  mha::TorchGenerator generator(5);
  const Widths widths = {8, 8, 8, 8};
  const auto bare = without_bias(draw_weights(generator, widths));
  LayerWeights<double> zero = bare;
  zero.b_q = zero.b_k = zero.b_v = zero.b_o = RowVector<double>::Zero(8);
  const auto s = draw_sequences(generator, widths, 3, 4);
  CHECK(MultiHeadAttention<double>(bare, 2)
            .forward(s.query, s.key, s.value)
            .output == MultiHeadAttention<double>(zero, 2)
                           .forward(s.query, s.key, s.value)
                           .output);
}

TEST_CASE("every bias does what it does in the formula") {
  mha::TorchGenerator generator(6);
  const Widths widths = {8, 8, 8, 8};
  const auto all = draw_weights(generator, widths);
  const auto s = draw_sequences(generator, widths, 3, 4);
  for (RowVector<double> LayerWeights<double>::*bias :
       {&LayerWeights<double>::b_q, &LayerWeights<double>::b_k,
        &LayerWeights<double>::b_v, &LayerWeights<double>::b_o}) {
    LayerWeights<double> one = without_bias(all);
    one.*bias = all.*bias;
    const auto output = MultiHeadAttention<double>(one, 4)
                            .forward(s.query, s.key, s.value)
                            .output;
    CHECK(mha::max_abs_difference(output, sum_over_heads(one, 4, s)) <=
          rounding);
  }
}

TEST_CASE("a query that sees no key gives the output's bias") {
  mha::TorchGenerator generator(7);
  const Widths widths = {6, 6, 6, 6};
  const auto w = draw_weights(generator, widths);
  const auto s = draw_sequences(generator, widths, 5, 2);
  const auto result = MultiHeadAttention<double>(w, 3).forward(
      s.query, s.key, s.value, {.causal = mha::Causal::bottom_right});
  for (const Index i : {0, 1, 2}) CHECK(result.output.row(i) == w.b_o);
  CHECK(result.output.row(3) != w.b_o);
}

TEST_CASE("the mask and the scale reach every head") {
  mha::TorchGenerator generator(8);
  const Widths widths = {6, 6, 6, 6};
  const auto s = draw_sequences(generator, widths, 4, 4);
  const MultiHeadAttention<double> layer(draw_weights(generator, widths), 3);
  const auto causal =
      layer.forward(s.query, s.key, s.value, {.causal = mha::Causal::top_left});
  const auto flat = layer.forward(s.query, s.key, s.value, {.scale = 0.0});
  for (std::size_t h = 0; h < 3; ++h) {
    CHECK(causal.weights[h](0, 0) == 1);
    CHECK((flat.weights[h].array() == 0.25).all());
  }
}

TEST_CASE("self-attention is cross-attention with one sequence") {
  mha::TorchGenerator generator(9);
  const Widths widths = {6, 6, 6, 6};
  const MultiHeadAttention<double> layer(draw_weights(generator, widths), 3);
  const Matrix<double> x = draw(generator, 5, 6);
  CHECK(layer.forward(x).output == layer.forward(x, x, x).output);
}

TEST_CASE("two runs of one layer are equal bit for bit") {
  mha::TorchGenerator generator(10);
  const MultiHeadAttention<float> layer(mha::torch_layer_weights(generator, 12),
                                        3);
  const Matrix<float> x = generator.normal(7, 12);
  CHECK(layer.forward(x).output == layer.forward(x).output);
}

TEST_CASE("a head is a view of its columns, to read and to write") {
  Matrix<float> all = Matrix<float>::Zero(3, 6);
  mha::head_of(all, 1, 2).setOnes();
  Matrix<float> expected = Matrix<float>::Zero(3, 6);
  expected.middleCols(2, 2).setOnes();
  CHECK(all == expected);
}

TEST_CASE("the parameters do not depend on the number of heads") {
  mha::TorchGenerator generator(11);
  const auto w = mha::torch_layer_weights(generator, 512);
  CHECK(w.w_q.size() + w.w_k.size() + w.w_v.size() + w.w_o.size() +
            w.b_q.size() + w.b_k.size() + w.b_v.size() + w.b_o.size() ==
        1'050'624);
  CHECK(MultiHeadAttention<float>(w, 1).d_head() == 512);
  CHECK(MultiHeadAttention<float>(w, 64).d_head() == 8);
}

TEST_CASE("drawing a layer moves the generator on by 4 d^2 + d draws") {
  mha::TorchGenerator layer(12), plain(12);
  mha::torch_layer_weights(layer, 5);
  plain.uniform(1, 4 * 25 + 5, 0, 1);
  CHECK(layer.uniform(1, 3, 0, 1) == plain.uniform(1, 3, 0, 1));
  CHECK_THROWS_WITH_AS(mha::torch_layer_weights(layer, 0),
                       "d_model = 0, but must be at least 1",
                       std::invalid_argument);
}

TEST_CASE("a head count that does not divide the width is refused") {
  mha::TorchGenerator generator(13);
  const auto w = draw_weights(generator, {6, 6, 6, 6});
  const auto refuse = [&](Index n_heads, const char* message) {
    CHECK_THROWS_WITH_AS(MultiHeadAttention<double>(w, n_heads), message,
                         std::invalid_argument);
  };
  refuse(0, "n_heads = 0, but a layer needs at least 1");
  refuse(-2, "n_heads = -2, but a layer needs at least 1");
  refuse(4, "n_heads = 4 does not divide the width 6; choose a divisor of 6");
  refuse(12, "n_heads = 12 does not divide the width 6; choose a divisor of 6");
  CHECK_THROWS_WITH_AS(
      MultiHeadAttention<double>(LayerWeights<double>{}, 1),
      "n_heads = 1 does not divide the width 0; choose a divisor of 0",
      std::invalid_argument);
}

TEST_CASE("parameters that do not fit each other are refused") {
  mha::TorchGenerator generator(14);
  const auto good = draw_weights(generator, {6, 6, 6, 4});
  const auto refuse = [&](auto change, const char* message) {
    LayerWeights<double> w = good;
    change(w);
    CHECK_THROWS_WITH_AS(MultiHeadAttention<double>(w, 2), message,
                         std::invalid_argument);
  };
  refuse([](auto& w) { w.w_k.resize(6, 5); },
         "w_q has 4 columns, but w_k has 5 and w_v 4");
  refuse([](auto& w) { w.w_v.resize(6, 3); },
         "w_q has 4 columns, but w_k has 4 and w_v 3");
  refuse([](auto& w) { w.w_o.resize(6, 6); },
         "heads have 4 columns, but w_o has 6 rows");
  refuse([](auto& w) { w.b_q.resize(3); }, "b_q has 3 entries, but needs 4");
  refuse([](auto& w) { w.b_k.resize(6); }, "b_k has 6 entries, but needs 4");
  refuse([](auto& w) { w.b_v.resize(1); }, "b_v has 1 entries, but needs 4");
  refuse([](auto& w) { w.b_o.resize(4); }, "b_o has 4 entries, but needs 6");
}

TEST_CASE("input that does not fit the parameters is refused") {
  mha::TorchGenerator generator(15);
  const MultiHeadAttention<double> layer(draw_weights(generator, {6, 5, 4, 6}),
                                         2);
  const auto zero = [](Index rows, Index cols) {
    return Matrix<double>(Matrix<double>::Zero(rows, cols));
  };
  CHECK_THROWS_WITH_AS(layer.forward(zero(2, 8), zero(3, 5), zero(3, 4)),
                       "query has 8 columns, but its weights have 6 rows",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(layer.forward(zero(2, 6), zero(3, 6), zero(3, 4)),
                       "key has 6 columns, but its weights have 5 rows",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(layer.forward(zero(2, 6), zero(3, 5), zero(3, 5)),
                       "value has 5 columns, but its weights have 4 rows",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(layer.forward(zero(2, 6), zero(3, 5), zero(2, 4)),
                       "there are 3 keys, but 2 values", std::invalid_argument);
}
