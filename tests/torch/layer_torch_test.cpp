// The layer against torch::nn::MultiheadAttention, live, on random cases.
#include "oracle.hpp"
#include "units.hpp"

#include "mha/layer.hpp"
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <optional>
#include <set>

namespace {

using mha::Index;
using mha::Matrix;
using oracle::Precision;
constexpr float inf = std::numeric_limits<float>::infinity();

struct Shape {
  Index batch, t_q, t_k, n_heads, d_head, d_key, d_value;
  Index d_model() const { return n_heads * d_head; }
};

struct Case {
  Shape shape;
  mha::LayerWeights<float> weights;
  oracle::Batch batch;
  // The library's masks: one set of options an item.
  std::vector<mha::AttentionOptions> options;
  // The same, put together for PyTorch without the library's help.
  oracle::Masks masks;
};

// Making a case.

// Sizes that all differ, so that no two can be mixed up unnoticed.
Shape draw_shape(mha::TorchGenerator& generator) {
  const auto size = [&](Index most) { return 1 + generator.integer(most); };
  for (;;) {
    Shape s = {.batch = size(4),
               .t_q = size(12),
               .t_k = size(12),
               .n_heads = size(6),
               .d_head = size(9),
               .d_key = 0,
               .d_value = 0};
    if (std::set<Index>{s.batch, s.t_q, s.t_k, s.n_heads, s.d_head}.size() <
        5) {
      continue;
    }
    const bool as_wide_as_the_model = generator.integer(2) == 0;
    s.d_key = as_wide_as_the_model ? s.d_model() : size(30);
    s.d_value =
        as_wide_as_the_model || generator.integer(2) == 0 ? s.d_key : size(30);
    return s;
  }
}

// Uniform in +-sqrt(3 / d_in), so that what comes out has the size of what
// goes in: scores of size 1, and biases that matter.
Matrix<float> draw_weight(mha::TorchGenerator& generator, Index d_in,
                          Index d_out) {
  const float bound = std::sqrt(3.0F / static_cast<float>(d_in));
  return generator.uniform(d_in, d_out, -bound, bound);
}

mha::LayerWeights<float> draw_weights(mha::TorchGenerator& generator,
                                      const Shape& s, bool with_bias) {
  const Index d_model = s.d_model();
  mha::LayerWeights<float> w;
  w.w_q = draw_weight(generator, d_model, d_model);
  w.w_k = draw_weight(generator, s.d_key, d_model);
  w.w_v = draw_weight(generator, s.d_value, d_model);
  w.w_o = draw_weight(generator, d_model, d_model);
  if (with_bias) {
    for (mha::RowVector<float>* b : {&w.b_q, &w.b_k, &w.b_v, &w.b_o}) {
      *b = generator.uniform(1, d_model, -1, 1);
    }
  }
  return w;
}

mha::BoolMatrix draw_table(mha::TorchGenerator& generator, Index rows,
                           Index cols) {
  return generator.uniform(rows, cols, 0, 1).array() < 0.3F;
}

// Adds to both sides' masks what this case hides.
void draw_masks(mha::TorchGenerator& generator, Case& c) {
  const Shape& s = c.shape;
  mha::AttentionOptions shared;
  Matrix<float> added = Matrix<float>::Zero(s.t_q, s.t_k);
  if (generator.integer(2) == 0) {  // a float mask, some of it minus infinity
    Matrix<float> bias = generator.normal(s.t_q, s.t_k);
    bias = draw_table(generator, s.t_q, s.t_k).select(-inf, bias);
    shared.bias = bias.cast<double>();
    added += bias;
  }
  if (generator.integer(2) == 0) {  // a boolean mask
    const mha::BoolMatrix hidden = draw_table(generator, s.t_q, s.t_k);
    shared.pairs = mha::AttendMask::where_true_is_masked(hidden);
    added = hidden.select(-inf, added);
  }
  const Index causal = generator.integer(3);
  if (causal != 0) {
    shared.causal =
        causal == 1 ? mha::Causal::top_left : mha::Causal::bottom_right;
    const Index last = causal == 1 ? 0 : s.t_k - s.t_q;
    for (Index i = 0; i < s.t_q; ++i) {
      for (Index j = 0; j < s.t_k; ++j) {
        if (j > i + last) added(i, j) = -inf;
      }
    }
  }
  c.masks.attn_mask = added;
  c.options.assign(static_cast<std::size_t>(s.batch), shared);
  if (generator.integer(2) == 0) {  // other keys are padding in every item
    c.masks.key_padding_mask = draw_table(generator, s.batch, s.t_k);
    for (Index b = 0; b < s.batch; ++b) {
      c.options[static_cast<std::size_t>(b)].keys =
          mha::AttendMask::where_true_is_masked(
              c.masks.key_padding_mask.row(b));
    }
  }
}

void draw_input(mha::TorchGenerator& generator, Case& c) {
  const Shape& s = c.shape;
  for (Index b = 0; b < s.batch; ++b) {
    c.batch.query.push_back(generator.normal(s.t_q, s.d_model()));
    c.batch.key.push_back(generator.normal(s.t_k, s.d_key));
    c.batch.value.push_back(generator.normal(s.t_k, s.d_value));
  }
}

Case draw_case(mha::TorchGenerator& generator,
               const std::optional<Shape>& shape = {}) {
  Case c;
  c.shape = shape ? *shape : draw_shape(generator);
  c.weights = draw_weights(generator, c.shape, generator.integer(3) != 0);
  draw_input(generator, c);
  draw_masks(generator, c);
  return c;
}

// Running it.

oracle::Parameters parameters(const mha::LayerWeights<float>& w) {
  return {w.w_q, w.w_k, w.w_v, w.w_o, w.b_q, w.b_k, w.b_v, w.b_o};
}

std::vector<oracle::Item> run_torch(const Case& c, Precision precision) {
  const auto run = c.shape.d_key == c.shape.d_value
                       ? oracle::layer
                       : oracle::layer_from_operations;
  return run(parameters(c.weights), c.shape.n_heads, c.batch, c.masks,
             precision);
}

template <typename Scalar>
std::vector<oracle::Item> run_library(const Case& c) {
  const mha::MultiHeadAttention<Scalar> layer(c.weights.cast<Scalar>(),
                                              c.shape.n_heads);
  std::vector<oracle::Item> items;
  for (std::size_t b = 0; b < c.options.size(); ++b) {
    const mha::LayerResult<Scalar> result = layer.forward(
        c.batch.query[b].cast<Scalar>(), c.batch.key[b].cast<Scalar>(),
        c.batch.value[b].cast<Scalar>(), c.options[b]);
    oracle::Item item{result.output.template cast<double>(), {}, {}};
    item.average = Matrix<double>::Zero(c.shape.t_q, c.shape.t_k);
    for (const Matrix<Scalar>& map : result.weights) {
      item.weights.push_back(map.template cast<double>());
      item.average += item.weights.back();
    }
    item.average /= static_cast<double>(c.shape.n_heads);
    items.push_back(std::move(item));
  }
  return items;
}

// Queries that see no key: PyTorch 1.13 gives NaN there, the library zeros.
std::vector<Index> blind_rows(const Case& c, Index item) {
  std::vector<Index> rows;
  for (Index i = 0; i < c.shape.t_q; ++i) {
    bool sees = false;
    for (Index j = 0; j < c.shape.t_k; ++j) {
      const bool padding = c.masks.key_padding_mask.size() != 0 &&
                           c.masks.key_padding_mask(item, j);
      sees = sees || (!padding && c.masks.attn_mask(i, j) != -inf);
    }
    if (!sees) rows.push_back(i);
  }
  return rows;
}

// Checks what both do with blind rows, then makes them equal in PyTorch's.
void check_and_fill_blind_rows(const Case& c, const std::vector<Index>& rows,
                               const oracle::Item& ours, oracle::Item& torchs) {
  const mha::RowVector<float>& b_o = c.weights.b_o;
  for (const Index i : rows) {
    CHECK(torchs.output.row(i).array().isNaN().all());
    CHECK(torchs.average.row(i).array().isNaN().all());
    CHECK(ours.average.row(i).isZero(0));
    torchs.output.row(i).setZero();
    if (b_o.size() != 0) torchs.output.row(i) = b_o.cast<double>();
    CHECK(ours.output.row(i) == torchs.output.row(i));
    torchs.average.row(i).setZero();
    for (Matrix<double>& map : torchs.weights) map.row(i).setZero();
  }
}

// The largest difference over output, weights and averages; NaN if any is.
double difference(const oracle::Item& a, const oracle::Item& b) {
  REQUIRE(a.weights.size() == b.weights.size());
  std::vector<double> all = {mha::max_abs_difference(a.output, b.output),
                             mha::max_abs_difference(a.average, b.average)};
  for (std::size_t h = 0; h < a.weights.size(); ++h) {
    all.push_back(mha::max_abs_difference(a.weights[h], b.weights[h]));
  }
  double worst = 0;
  for (const double d : all) {
    if (std::isnan(d)) return d;
    worst = std::max(worst, d);
  }
  return worst;
}

// What rounding can do to a result, to first order. A number passes through
// sums of d_in, d_head, T_k and d_model terms, and a rounding each of scale,
// exponential, division and bias: at most `roundings`, each half a unit of
// numbers below 8. A weight turns an error of its score into a relative error
// of the same size, hence another factor of 2.
double rounding_bound(const Shape& s, double half_unit) {
  const auto roundings =
      static_cast<double>(std::max({s.d_model(), s.d_key, s.d_value}) +
                          s.d_head + s.t_k + s.d_model() + 4);
  return 2 * 8 * roundings * half_unit;
}

// Two float computations of one number each miss the exact one by their own
// accident; neither is twice as bad over a whole result, except where both are
// small: then a few roundings of numbers below 8 decide.
constexpr double float_floor = 4 * 8 * 0x1p-24;

struct Errors {
  double in_double = 0, ours = 0, torchs = 0;
  Index blind = 0;
};

Errors compare(const Case& c) {
  const auto ours_64 = run_library<double>(c), ours_32 = run_library<float>(c);
  auto torchs_64 = run_torch(c, Precision::float64);
  auto torchs_32 = run_torch(c, Precision::float32);
  Errors worst;
  for (std::size_t b = 0; b < ours_64.size(); ++b) {
    const auto blind = blind_rows(c, static_cast<Index>(b));
    check_and_fill_blind_rows(c, blind, ours_64[b], torchs_64[b]);
    check_and_fill_blind_rows(c, blind, ours_32[b], torchs_32[b]);
    const double in_double = difference(ours_64[b], torchs_64[b]);
    const double ours = difference(ours_32[b], ours_64[b]);
    const double torchs = difference(torchs_32[b], torchs_64[b]);
    CHECK(in_double <= rounding_bound(c.shape, 0x1p-53));
    CHECK(ours <= rounding_bound(c.shape, 0x1p-24));
    CHECK(ours <= 2 * torchs + float_floor);
    worst = {std::max(worst.in_double, in_double), std::max(worst.ours, ours),
             std::max(worst.torchs, torchs),
             worst.blind + static_cast<Index>(blind.size())};
  }
  return worst;
}

}  // namespace

TEST_CASE("the layer equals PyTorch's on 400 random cases") {
  mha::TorchGenerator generator(1);
  Errors worst;
  for (int i = 0; i < 400; ++i) {
    CAPTURE(i);
    const Errors e = compare(draw_case(generator));
    worst = {std::max(worst.in_double, e.in_double),
             std::max(worst.ours, e.ours), std::max(worst.torchs, e.torchs),
             worst.blind + e.blind};
  }
  CHECK(worst.blind > 100);  // the cases do contain queries that see nothing
  MESSAGE("in double " << worst.in_double << ", float32: the library "
                       << worst.ours << ", PyTorch " << worst.torchs
                       << ", queries that see no key " << worst.blind);
}

TEST_CASE("the layer equals PyTorch's where sizes pass a vector or a block") {
  mha::TorchGenerator generator(2);
  for (const Shape& shape :
       std::initializer_list<Shape>{{2, 33, 65, 3, 17, 51, 51},
                                    {1, 1, 100, 8, 16, 128, 128},
                                    {3, 64, 1, 1, 31, 7, 7},
                                    {1, 128, 127, 12, 8, 96, 40}}) {
    CAPTURE(shape.t_k);
    compare(draw_case(generator, shape));
  }
}

TEST_CASE("key and value of other widths count 2016 weights and 96 biases") {
  mha::TorchGenerator generator(3);
  const Shape shape = {.batch = 2,
                       .t_q = 5,
                       .t_k = 7,
                       .n_heads = 3,
                       .d_head = 8,
                       .d_key = 24,
                       .d_value = 12};
  Case c = draw_case(generator, shape);
  c.weights = draw_weights(generator, shape, true);
  compare(c);
  const mha::LayerWeights<float>& w = c.weights;
  CHECK(w.w_q.size() + w.w_k.size() + w.w_v.size() + w.w_o.size() == 2016);
  CHECK(w.b_q.size() + w.b_k.size() + w.b_v.size() + w.b_o.size() == 96);
}

// layer_from_operations stands in for the module where that refuses; here both
// can answer.
TEST_CASE("PyTorch's operations give what its module gives") {
  mha::TorchGenerator generator(4);
  for (int i = 0; i < 50; ++i) {
    Case c = draw_case(generator);
    if (c.shape.d_key != c.shape.d_value) continue;
    c.masks = {};
    const auto module = oracle::layer(parameters(c.weights), c.shape.n_heads,
                                      c.batch, c.masks, Precision::float64);
    const auto operations =
        oracle::layer_from_operations(parameters(c.weights), c.shape.n_heads,
                                      c.batch, c.masks, Precision::float64);
    for (std::size_t b = 0; b < module.size(); ++b) {
      CHECK(difference(operations[b], module[b]) <=
            rounding_bound(c.shape, 0x1p-53));
    }
  }
}

TEST_CASE("fresh parameters equal PyTorch's bit for bit") {
  for (Index d_model = 1; d_model <= 64; ++d_model) {
    CAPTURE(d_model);
    const auto seed = static_cast<std::uint32_t>(d_model * 7919);
    mha::TorchGenerator generator(seed);
    const auto ours = mha::torch_layer_weights(generator, d_model);
    const auto torchs = oracle::fresh_layer(seed, d_model, 1, 1).weights;
    CHECK(ours.w_q == torchs.w_q);
    CHECK(ours.w_k == torchs.w_k);
    CHECK(ours.w_v == torchs.w_v);
    CHECK(ours.w_o == torchs.w_o);
    CHECK(ours.b_q == torchs.b_q);
    CHECK(ours.b_k == torchs.b_k);
    CHECK(ours.b_v == torchs.b_v);
    CHECK(ours.b_o == torchs.b_o);
  }
}

TEST_CASE("fresh parameters of wide layers equal PyTorch's bit for bit") {
  for (const Index d_model : {96, 100, 127, 129, 255, 384, 512, 600}) {
    CAPTURE(d_model);
    mha::TorchGenerator generator(11);
    const auto ours = mha::torch_layer_weights(generator, d_model);
    const auto torchs = oracle::fresh_layer(11, d_model, 1, 1).weights;
    CHECK(ours.w_q == torchs.w_q);
    CHECK(ours.w_v == torchs.w_v);
    CHECK(ours.w_o == torchs.w_o);
  }
}

// The book's reference layer: what a reader gets in PyTorch.
TEST_CASE("the reference layer of seed 0 equals PyTorch's from end to end") {
  mha::TorchGenerator generator(0);
  const mha::MultiHeadAttention<float> layer(
      mha::torch_layer_weights(generator, 8), 4);
  const Matrix<float> x = generator.normal(6, 8);
  const oracle::Fresh torchs = oracle::fresh_layer(0, 8, 4, 6);
  CHECK(oracle::units_apart(x, torchs.x) <= 1);

  // Outputs are below 1/2: sums of 8 products below 1/4, whose roundings are
  // 2^-27 each, on top of what the unit in x does.
  const auto from_our_x = layer.forward(x);
  CHECK(mha::max_abs_difference(from_our_x.output, torchs.item.output) <=
        8 * 0x1p-26);
  const auto from_torchs_x = layer.forward(torchs.x);
  CHECK(mha::max_abs_difference(from_torchs_x.output, torchs.item.output) <=
        8 * 0x1p-27);
  for (std::size_t h = 0; h < 4; ++h) {
    // A weight below 1/2 with the roundings of a score, exp, sum and division.
    CHECK(mha::max_abs_difference(from_our_x.weights[h],
                                  torchs.item.weights[h]) <= 12 * 0x1p-25);
  }
  MESSAGE("largest difference: "
          << mha::max_abs_difference(from_our_x.output, torchs.item.output)
          << ", from PyTorch's x "
          << mha::max_abs_difference(from_torchs_x.output, torchs.item.output));
}
