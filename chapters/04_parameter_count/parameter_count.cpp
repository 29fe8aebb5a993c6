// Chapter 4: what more heads cost, and what they do not.
#include "mha/attention.hpp"
#include "mha/generator.hpp"
#include "mha/layer.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"
#include "mha/published_models.hpp"
#include "mha/svg.hpp"

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

// [options]
using mha::Bias;
using mha::Index;
using mha::LatentModel;
using mha::Matrix;
using mha::Model;
using mha::Norms;
using mha::latent_models;
using mha::model_named;
using mha::models;
using Shape = mha::AttentionShape;
using Weights = mha::LayerWeights<float>;
using Layer = mha::MultiHeadAttention<float>;

struct Options {
  Index d_model = 8;
  Index heads = 4;
  Index kv_heads = 0;  // 0: as many as heads
  Index d_head = 0;    // 0: d_model / heads
  Index layers = 1;
  bool no_bias = false;
};
// [options]

// [count tensors]
// Adds up what a layer really holds. No formula, no head count.
Index count_tensors(const Weights& w) {
  return w.w_q.size() + w.w_k.size() + w.w_v.size() + w.w_o.size() +
         w.b_q.size() + w.b_k.size() + w.b_v.size() + w.b_o.size();
}
// [count tensors]

// [make layer]
Layer make_layer(Index d_model, Index n_heads, std::uint32_t seed = 0) {
  mha::TorchGenerator generator(seed);
  return Layer(mha::torch_layer_weights(generator, d_model), n_heads);
}

// A layer of zeros in which the heads' width is not d_model / n_heads.
Weights zero_weights(Index d_model, Index width, Index d_key, Index d_value) {
  Weights w;
  w.w_q = Matrix<float>::Zero(d_model, width);
  w.w_k = Matrix<float>::Zero(d_key, width);
  w.w_v = Matrix<float>::Zero(d_value, width);
  w.w_o = Matrix<float>::Zero(width, d_model);
  w.b_q = w.b_k = w.b_v = mha::RowVector<float>::Zero(width);
  w.b_o = mha::RowVector<float>::Zero(d_model);
  return w;
}
// [make layer]

// [split]
// The classical shape: the width is shared out among the heads.
Shape split(Index d_model, Index n_heads, Bias bias = Bias::all) {
  mha::require(n_heads >= 1 && d_model >= 1 && d_model % n_heads == 0,
               "n_heads = {} does not divide d_model = {}; choose a divisor, "
               "or say how wide a head is", n_heads, d_model);
  return {d_model, n_heads, n_heads, d_model / n_heads, bias};
}

void check(const Shape& s) {
  const Index d_key = s.d_key.value_or(s.d_model);
  const Index d_value = s.d_value.value_or(s.d_model);
  for (const auto& [name, n] :
       {std::pair{"d_model", s.d_model}, {"n_heads", s.n_heads},
        {"n_kv_heads", s.n_kv_heads}, {"d_head", s.d_head}, {"d_key", d_key},
        {"d_value", d_value}}) {
    mha::require(n >= 1, "{} = {}, but must be at least 1", name, n);
  }
  mha::require(s.n_heads % s.n_kv_heads == 0,
               "n_kv_heads = {} does not divide n_heads = {}; choose a divisor",
               s.n_kv_heads, s.n_heads);
}
// [split]

// [wide]
constexpr Index largest = std::numeric_limits<Index>::max();

// A product of counts, neither of them negative.
Index times(Index a, Index b) {
  mha::require(b == 0 || a <= largest / b, "{} x {} does not fit in 64 bits", a,
               b);
  return a * b;
}

Index plus(Index a, Index b) {
  mha::require(a <= largest - b, "{} + {} does not fit in 64 bits", a, b);
  return a + b;
}
// [wide]

// [tensors]
struct Tensor {
  std::string name;
  Index rows, columns;
};

// What a checkpoint of this shape holds for one layer.
std::vector<Tensor> tensors(const Shape& s) {
  check(s);
  const Index q = times(s.n_heads, s.d_head);
  const Index kv = times(s.n_kv_heads, s.d_head);
  std::vector<Tensor> list = {{"w_q", s.d_model, q},
                              {"w_k", s.d_key.value_or(s.d_model), kv},
                              {"w_v", s.d_value.value_or(s.d_model), kv},
                              {"w_o", q, s.d_model}};
  // [tensors]
  // [small tensors]
  if (s.bias != Bias::none) {
    list.push_back({"b_q", 1, q});
    list.push_back({"b_k", 1, kv});
    list.push_back({"b_v", 1, kv});
  }
  if (s.bias == Bias::all) list.push_back({"b_o", 1, s.d_model});
  if (s.norms == Norms::per_head) {
    list.push_back({"q_norm", 1, s.d_head});
    list.push_back({"k_norm", 1, s.d_head});
  }
  return list;
}
// [small tensors]

// [count]
Index count(const std::vector<Tensor>& list) {
  Index total = 0;
  for (const Tensor& t : list) total = plus(total, times(t.rows, t.columns));
  return total;
}
// [count]

// [formula]
// The same in closed form, for what keys and values are made from as wide as
// the tokens. Only for shapes that count() has accepted: it does not look for
// overflow.
Index formula(const Shape& s) {
  const Index d = s.d_model, H = s.n_heads, G = s.n_kv_heads, dh = s.d_head;
  const Index matrices = d * H * dh + 2 * d * G * dh + H * dh * d;
  const Index qkv = s.bias == Bias::none ? 0 : H * dh + 2 * G * dh;
  const Index output = s.bias == Bias::all ? d : 0;
  const Index norms = s.norms == Norms::per_head ? 2 * dh : 0;
  return matrices + qkv + output + norms;
}
// [formula]

// [attention of]
Index attention_of(const Model& m) {
  return times(m.layers, count(tensors(m.shape)));
}

bool is_square(const Shape& s) { return s.n_heads * s.d_head == s.d_model; }
// [attention of]

// [latent]
std::vector<Tensor> tensors(const LatentModel& m) {
  const Index queries = m.n_heads * (m.plain + m.rotary);
  std::vector<Tensor> list;
  if (m.q_rank == 0) {
    list = {{"q", m.d_model, queries}};
  } else {
    list = {{"q_down", m.d_model, m.q_rank},
            {"q_norm", 1, m.q_rank},
            {"q_up", m.q_rank, queries}};
  }
  list.push_back({"kv_down", m.d_model, m.kv_rank + m.rotary});
  list.push_back({"kv_norm", 1, m.kv_rank});
  list.push_back({"kv_up", m.kv_rank, m.n_heads * (m.plain + m.value)});
  list.push_back({"o", m.n_heads * m.value, m.d_model});
  return list;
}
// [latent]

// [whole]
// What a model of the Llama kind holds beside attention: two tables of words,
// three matrices and two gains a layer, and one gain at the end.
struct Checkpoint {
  std::string model;
  Index vocabulary, d_ff;
  Index bytes;  // "total_size" in the index file of the checkpoint, 16 bits
};

const std::vector<Checkpoint>& checkpoints() {
  static const std::vector<Checkpoint> list = {
      {"Llama 2 7B", 32000, 11008, 13'476'831'232},
      {"Llama 3 8B", 128256, 14336, 16'060'522'496},
      {"Mistral 7B", 32000, 14336, 14'483'464'192}};
  return list;
}

Index whole_model(const Checkpoint& c) {
  const Model& m = model_named(c.model);
  const Index d = m.shape.d_model;
  const Index beside = 3 * d * c.d_ff + 2 * d;
  return attention_of(m) + times(m.layers, beside) + 2 * c.vocabulary * d + d;
}
// [whole]

// [in 32 bits]
// What is left of a count in a 32-bit int. Since C++20 this conversion keeps
// the low 32 bits; a sum that overflows in int itself has no defined result.
std::int32_t in_32_bits(Index n) { return static_cast<std::int32_t>(n); }
// [in 32 bits]

// [grouped]
// 1050624 as 1,050,624.
std::string grouped(Index n) {
  const std::string digits = fmt::format("{}", n < 0 ? -n : n);
  std::string text = n < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}
// [grouped]

// [truncating]
// The mistake: a head count that does not divide is rounded away. The columns
// that are left over belong to no head, and nobody says so.
Matrix<float> truncating_layer(const Matrix<float>& x, const Weights& w,
                               Index n_heads) {
  const Index d_head = w.w_q.cols() / n_heads;  // 512 / 6 is 85
  const Matrix<float> q = x * w.w_q, k = x * w.w_k, v = x * w.w_v;
  Matrix<float> heads(x.rows(), n_heads * d_head);
  for (Index h = 0; h < n_heads; ++h) {
    mha::head_of(heads, h, d_head) =
        mha::attention(mha::head_of(q, h, d_head), mha::head_of(k, h, d_head),
                       mha::head_of(v, h, d_head))
            .context;
  }
  return heads * w.w_o.topRows(heads.cols());
}
// [truncating]

// [batch]
using Batch = std::vector<Matrix<float>>;  // B times (T, width)

// Attention for every item of a batch, or none of it.
Batch attend(const Batch& q, const Batch& k, const Batch& v) {
  mha::require(q.size() == k.size() && q.size() == v.size(),
               "queries come in a batch of {}, but keys in one of {} and "
               "values in one of {}", q.size(), k.size(), v.size());
  Batch read;
  for (std::size_t b = 0; b < q.size(); ++b) {
    read.push_back(mha::attention(q[b], k[b], v[b]).context);
  }
  return read;
}

// The mistake: a batch of 1 is repeated until it fits.
Batch attend_broadcast(const Batch& q, const Batch& k, const Batch& v) {
  Batch read;
  for (std::size_t b = 0; b < std::max({q.size(), k.size(), v.size()}); ++b) {
    read.push_back(mha::attention(q[b % q.size()], k[b % k.size()],
                                  v[b % v.size()])
                       .context);
  }
  return read;
}
// [batch]

// [thin settings]
// Thin heads are measured at one width and one length, over many seeds.
constexpr Index width = 64;
constexpr Index tokens = 64;
constexpr std::uint32_t seeds = 40;
constexpr std::array<Index, 7> head_widths = {1, 2, 4, 8, 16, 32, 64};

// Every head's scores before the softmax, n_heads times (T, T).
std::vector<Matrix<double>> score_maps(std::uint32_t seed, Index d_head) {
  mha::TorchGenerator generator(seed);
  const auto w = mha::torch_layer_weights(generator, width).cast<double>();
  const Matrix<double> x = generator.normal(tokens, width).cast<double>();
  const Matrix<double> q = x * w.w_q, k = x * w.w_k;
  std::vector<Matrix<double>> maps;
  for (Index h = 0; h < width / d_head; ++h) {
    maps.push_back(mha::attention(mha::head_of(q, h, d_head),
                                  mha::head_of(k, h, d_head),
                                  mha::head_of(k, h, d_head))
                       .scores);
  }
  return maps;
}

// How many singular values stand above rounding: a billionth of the largest,
// where what double precision adds is a millionth of that.
Index rank(const Matrix<double>& m) {
  const Eigen::VectorXd s =
      Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>(m)
          .singularValues();
  return (s.array() > 1e-9 * s(0)).count();
}

Matrix<double> softmax(const Matrix<double>& scores) {
  return mha::masked_softmax(scores, mha::BoolMatrix::Constant(
                                         scores.rows(), scores.cols(), true));
}
// [thin settings]

// [likeness]
// Rows with mean 0 and length 1: their dot products are correlations.
Matrix<double> standardised(const Matrix<double>& scores) {
  Matrix<double> rows = scores.colwise() - scores.rowwise().mean();
  rows.rowwise().normalize();
  return rows;
}

// How alike two heads are: the correlation of what they say about one token,
// without its sign, on average over the tokens.
double between(const Matrix<double>& a, const Matrix<double>& b) {
  return (standardised(a).array() * standardised(b).array())
      .rowwise().sum().abs().mean();
}

// How alike two tokens are in one head, on average over all pairs of tokens.
double within(const Matrix<double>& scores) {
  const Matrix<double> rows = standardised(scores);
  const Matrix<double> all = rows * rows.transpose();
  const double n = static_cast<double>(rows.rows());
  return (all.cwiseAbs().sum() - n) / (n * (n - 1));
}
// [likeness]

// [spread]
Index favourite(const Matrix<double>& map, Index token) {
  Index key = 0;
  map.row(token).maxCoeff(&key);
  return key;
}

// How many keys are some token's favourite in this head.
Index different_favourites(const Matrix<double>& map) {
  std::set<Index> keys;
  for (Index t = 0; t < map.rows(); ++t) keys.insert(favourite(map, t));
  return std::ssize(keys);
}

// Many measurements of one thing: their mean, and where four in five lie.
struct Spread {
  double mean = 0, low = 0, high = 0;
};

Spread spread_of(std::vector<double> numbers) {
  mha::require(!numbers.empty(), "a spread needs at least 1 number");
  std::sort(numbers.begin(), numbers.end());
  const double n = static_cast<double>(numbers.size());
  const auto at = [&](double share) {
    return numbers[static_cast<std::size_t>(share * (n - 1) + 0.5)];
  };
  return {std::accumulate(numbers.begin(), numbers.end(), 0.0) / n, at(0.1),
          at(0.9)};
}
// [spread]

// [measure thin]
struct Thin {
  Index d_head;
  std::optional<Spread> between;  // a layer of one head has no pair
  Spread within, favourites;
};

Thin measure(Index d_head) {
  std::vector<double> pairs, heads, favourites;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const auto maps = score_maps(seed, d_head);
    for (std::size_t h = 0; h < maps.size(); ++h) {
      heads.push_back(within(maps[h]));
      favourites.push_back(static_cast<double>(different_favourites(maps[h])));
      // Heads 0 and 1, then 2 and 3: no head counts twice.
      if (h % 2 == 1) pairs.push_back(between(maps[h - 1], maps[h]));
    }
  }
  Thin thin{d_head, {}, spread_of(heads), spread_of(favourites)};
  if (!pairs.empty()) thin.between = spread_of(pairs);
  return thin;
}

// Measured once a run: every width takes a few hundred maps.
const std::vector<Thin>& measured() {
  static const std::vector<Thin> all = [] {
    std::vector<Thin> list;
    for (const Index d_head : head_widths) list.push_back(measure(d_head));
    return list;
  }();
  return all;
}

// The mean of |cos| between two random directions in n dimensions.
double mean_abs_cosine(Index n) {
  const double half = static_cast<double>(n) / 2;
  return std::exp(std::lgamma(half) - std::lgamma(half + 0.5)) /
         std::sqrt(std::acos(-1.0));
}
// [measure thin]

// [growth]
// What a layer holds and makes, at one width and one length.
struct Growth {
  Index n_heads, parameters, scores, rank;
};

Growth growth(Index n_heads) {
  const Layer layer = make_layer(width, n_heads);
  mha::TorchGenerator generator(0);
  const auto result = layer.forward(generator.normal(tokens, width));
  Index scores = 0;
  for (const Matrix<float>& map : result.weights) scores += map.size();
  return {n_heads, count_tensors(layer.weights()), scores,
          rank(score_maps(0, layer.d_head())[0])};
}
// [growth]

// [print counted]
void print_counted() {
  mha::heading("Counted, tensor by tensor");
  fmt::print("d_model  heads  d_head    counted  4 d^2 + 4 d\n");
  const auto line = [](Index d_model, Index n_heads) {
    const Layer layer = make_layer(d_model, n_heads);
    fmt::print("{:7} {:6} {:7} {:>10} {:>12}\n", d_model, n_heads,
               layer.d_head(), grouped(count_tensors(layer.weights())),
               grouped(4 * d_model * d_model + 4 * d_model));
  };
  for (const Index n_heads : {1, 2, 4, 8}) line(8, n_heads);
  for (const Index n_heads : {1, 64}) line(512, n_heads);
}

void print_growth() {
  mha::heading("What grows with the heads");
  fmt::print("{} tokens of width {}\n", tokens, width);
  fmt::print("heads  parameters    scores  rank of a head  heads x rank\n");
  for (const Index n_heads : head_widths) {  // 1 to 64, as the widths are
    const Growth g = growth(n_heads);
    fmt::print("{:5} {:>11} {:>9} {:>15} {:>13}\n", g.n_heads,
               grouped(g.parameters), grouped(g.scores), g.rank,
               g.n_heads * g.rank);
  }
}
// [print counted]

// [own shape]
// The shape the options ask for.
Shape own_shape(const Options& options) {
  Shape shape = {options.d_model, options.heads, options.kv_heads,
                 options.d_head, options.no_bias ? Bias::none : Bias::all};
  if (shape.d_head == 0) {
    shape.d_head = split(shape.d_model, shape.n_heads).d_head;
  }
  if (shape.n_kv_heads == 0) shape.n_kv_heads = shape.n_heads;
  check(shape);
  return shape;
}

void print_own(const Options& options) {
  const Shape shape = own_shape(options);
  const std::vector<Tensor> list = tensors(shape);
  const Index total = count(list);
  const Index all = times(options.layers, total);
  mha::heading("Your layer");
  for (const Tensor& t : list) {
    fmt::print("{:<6} {:>9} x {:<9} {:>15}\n", t.name, t.rows, t.columns,
               grouped(t.rows * t.columns));
  }
  fmt::print("{:<28} {:>15}\n", "together", grouped(total));
  fmt::print("{:<28} {:>15}\n", "by the formula", grouped(formula(shape)));
  fmt::print("{:<28} {:>15}\n", fmt::format("all layers ({})", options.layers),
             grouped(all));
}
// [own shape]

// [print models]
void print_model(std::string_view name, Index layers, Index d_model,
                 Index n_heads, const std::string& kv_and_width, Index total,
                 Index recorded) {
  fmt::print("{:<16} {:>6} {:>7} {:>5} {:>10} {:>15} {}\n", name, layers,
             d_model, n_heads, kv_and_width, grouped(total),
             total == recorded ? "same" : grouped(recorded));
}

void print_models() {
  mha::heading("Published models");
  fmt::print("{:<16} layers d_model heads kv d_head {:>15} recorded\n", "model",
             "all layers");
  for (const Model& m : models()) {
    print_model(m.name, m.layers, m.shape.d_model, m.shape.n_heads,
                fmt::format("{} {:>5}{}", m.shape.n_kv_heads, m.shape.d_head,
                            is_square(m.shape) ? ' ' : '*'),
                attention_of(m), m.recorded);
  }
  for (const LatentModel& m : latent_models()) {
    print_model(m.name, m.layers, m.d_model, m.n_heads, "latent",
                times(m.layers, count(tensors(m))), m.recorded);
  }
  fmt::print("* heads x d_head is not d_model\n");
}

void print_whole() {
  mha::heading("Against the checkpoints");
  fmt::print("{:<10} {:>13} {:>13} {:>14} {:>14} {:>6}\n", "model", "attention",
             "whole model", "16-bit bytes", "in the file", "share");
  for (const Checkpoint& c : checkpoints()) {
    const Index attention = attention_of(model_named(c.model));
    const Index whole = whole_model(c);
    fmt::print("{:<10} {:>13} {:>13} {:>14} {:>14} {:>4.1f} %\n", c.model,
               grouped(attention), grouped(whole), grouped(2 * whole),
               grouped(c.bytes),
               100 * static_cast<double>(attention) /
                   static_cast<double>(whole));
  }
}
// [print models]

// [print lost]
// How many parameters of a layer no head of such a code ever reads: columns of
// three projections with their biases, and rows of the fourth.
Index never_read(Index d_model, Index n_heads) {
  const Index left_over = d_model - n_heads * (d_model / n_heads);
  return left_over * (3 * (d_model + 1) + d_model);
}

void print_lost() {
  mha::heading("Heads that do not divide, rounded away");
  fmt::print("d_model  heads  d_head  columns read  parameters never read\n");
  for (const auto& [d_model, n_heads] :
       {std::pair<Index, Index>{1024, 12}, {1024, 24}, {512, 6}, {128, 3}}) {
    fmt::print("{:7} {:6} {:7} {:13} {:>22}\n", d_model, n_heads,
               d_model / n_heads, n_heads * (d_model / n_heads),
               grouped(never_read(d_model, n_heads)));
  }
}
// [print lost]

// [print thin]
void print_thin() {
  mha::heading("Thin heads");
  fmt::print("{} tokens of width {}, {} layers; likeness from 0 to 1\n", tokens,
             width, seeds);
  fmt::print("        rank of          likeness of\n");
  fmt::print("d_head  scores  weights  two heads (80 %)     two tokens  "
             "favourites\n");
  for (const Thin& thin : measured()) {
    const Matrix<double> scores = score_maps(0, thin.d_head)[0];
    const std::string pairs =
        thin.between ? fmt::format("{:.3f} ({:.3f}-{:.3f})", thin.between->mean,
                                   thin.between->low, thin.between->high)
                     : "one head only";
    fmt::print("{:6} {:7} {:8}  {:<20} {:>9.3f} {:11.1f}\n", thin.d_head,
               rank(scores), rank(softmax(scores)), pairs, thin.within.mean,
               thin.favourites.mean);
  }
}

void demo(const Options& options) {
  print_own(options);
  print_counted();
  print_growth();
  print_models();
  print_whole();
  print_lost();
  print_thin();
}
// [print thin]

// [values]
// The weights of three tokens with one slot a head, queries and keys 0, 1, 2.
Matrix<double> three_tokens() {
  const Matrix<double> slot{{0.0}, {1.0}, {2.0}};
  return mha::attention(slot, slot, slot).weights;
}

mha::Values values(const Options&) {
  mha::Values values;
  const auto add = [&](const std::string& name, Index n) {
    values.add(name, static_cast<double>(n), grouped(n));
  };
  add("count_8", count_tensors(make_layer(8, 4).weights()));
  add("count_512", count_tensors(make_layer(512, 64).weights()));
  add("scores_1", growth(1).scores);
  add("scores_64", growth(64).scores);
  add("models", std::ssize(models()));
  add("not_square", std::count_if(models().begin(), models().end(),
                                  [](const Model& m) {
                                    return !is_square(m.shape);
                                  }));
  add("gpt2", attention_of(model_named("GPT-2 124M")));
  for (const auto& [name, model] : {std::pair{"llama2", "Llama 2 7B"},
                                    std::pair{"palm62", "PaLM 62B"}}) {
    const Index total = attention_of(model_named(model));
    add(name, total);
    add(fmt::format("{}_32_bits", name), in_32_bits(total));
  }
  add("mha_layer", count(tensors(model_named("Llama 2 7B").shape)));
  add("gqa_layer", count(tensors(model_named("Llama 3 8B").shape)));
  add("keras_512", count(tensors({512, 64, 64, 512, Bias::all})));
  add("truncated", 6 * (512 / 6));
  add("never_read", never_read(512, 6));
  add("seeds", seeds);
  // Exercise 4.1: width 8, and 8 heads as wide as the 4 heads were.
  add("wider_layer", count_tensors(zero_weights(8, 8 * 2, 8, 8)));
  // [values]
  // [more values]
  values.add("determinant", three_tokens().determinant(), "{:.6f}");
  for (const Thin& thin : measured()) {
    if (!thin.between) continue;
    const auto add_likeness = [&](const char* what, double number) {
      values.add(fmt::format("{}_{}", what, thin.d_head), number, "{:.2f}");
    };
    add_likeness("between", thin.between->mean);
    add_likeness("low", thin.between->low);
    add_likeness("high", thin.between->high);
  }
  for (std::size_t i = 0; i < checkpoints().size(); ++i) {
    const Checkpoint& c = checkpoints()[i];
    values.add(fmt::format("share_{}", i),
               100 * static_cast<double>(attention_of(model_named(c.model))) /
                   static_cast<double>(whole_model(c)), "{:.0f}");
  }
  values.add("unrelated", mean_abs_cosine(width * tokens / (width + tokens)),
             "{:.2f}");
  return values;
}
// [more values]

// [chart]
// One line of a chart, from 0 (bottom) to 1 (top). Its name stands at one of
// its points: above it, or as far below as asked.
struct Curve {
  std::string name, style;
  std::size_t named_at;
  std::string anchor;
  double below = -8;
  std::vector<double> heights = {};
};

// Narrow enough for a phone.
constexpr double left = 46, top = 34, across = 296, down = 220;
double x_at(std::size_t i, std::size_t n) {
  return left + across * static_cast<double>(i) / static_cast<double>(n - 1);
}
double y_at(double height) { return top + down * (1 - height); }
double y_at(std::size_t i, std::size_t n) {
  return y_at(static_cast<double>(i) / static_cast<double>(n - 1));
}

void draw_chart(mha::Svg& svg, const std::string& y_label,
                const std::vector<std::string>& ticks,
                const std::string& x_label,
                const std::vector<std::string>& names,
                const std::vector<Curve>& curves) {
  constexpr const char* quiet = "fill='var(--quiet,#666)'";
  svg.text(8, 16, y_label, "", quiet);
  svg.open_group("stroke='var(--quiet,#666)' stroke-opacity='0.25'");
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double y = y_at(i, ticks.size());
    svg.line({left, y, left + across, y}, "");
  }
  svg.close_group();
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    svg.text(left - 8, y_at(i, ticks.size()) + 4, ticks[i], "end", quiet);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    svg.text(x_at(i, names.size()), top + down + 20, names[i], "middle", quiet);
  }
  svg.text(left + across / 2, top + down + 42, x_label, "middle", quiet);
  for (const Curve& curve : curves) {
    std::vector<double> points;
    for (std::size_t i = 0; i < curve.heights.size(); ++i) {
      points.push_back(x_at(i, names.size()));
      points.push_back(y_at(curve.heights[i]));
    }
    svg.line(points, curve.style);
    svg.text(points[2 * curve.named_at],
             points[2 * curve.named_at + 1] + curve.below, curve.name,
             curve.anchor);
  }
}

constexpr const char* solid = "stroke='var(--heat,#2563a8)' stroke-width='2.5'";
constexpr const char* dashed =
    "stroke='var(--mark,#b4540a)' stroke-width='2.5' stroke-dasharray='7 4'";
constexpr const char* dotted =
    "stroke='var(--quiet,#666)' stroke-width='2' stroke-dasharray='2 4'";
// [chart]

// [growth figure]
std::string draw_growth() {
  Curve scores{"score numbers", dashed, 4, "end"};
  Curve parameters{"parameters", solid, 4, "start"};
  Curve ranks{"rank of a head's scores", dotted, 3, "start"};
  std::vector<std::string> names;
  const Growth one = growth(1);
  const auto height = [](Index now, Index then) {  // 64 times is the top
    return 0.5 + std::log2(static_cast<double>(now) /
                           static_cast<double>(then)) / 12;
  };
  for (const Index n_heads : head_widths) {  // 1 to 64, as the widths are
    const Growth g = growth(n_heads);
    names.push_back(fmt::format("{}", n_heads));
    scores.heights.push_back(height(g.scores, one.scores));
    parameters.heights.push_back(height(g.parameters, one.parameters));
    ranks.heights.push_back(height(g.rank, one.rank));
  }
  mha::Svg svg(
      "What more heads cost",
      fmt::format("Three lines over 1 to 64 heads, each against one head. The "
                  "scores grow from {} to 64 times as many. The parameters "
                  "stay {}. The rank of a head's scores falls from {} to 1.",
                  grouped(one.scores), grouped(one.parameters), one.rank));
  draw_chart(svg, "times as much as with one head",
             {"1/64", "1/16", "1/4", "1", "4", "16", "64"}, "heads", names,
             {scores, parameters, ranks});
  return svg.finish(left + across + 16, top + down + 54);
}
// [growth figure]

// [likeness figure]
std::string draw_likeness() {
  Curve chance{"", dotted, 0, ""};
  Curve within_head{"two tokens, one head", solid, 1, "start"};
  Curve between_heads{"one token, two heads", dashed, 3, "middle", 24};
  std::vector<std::string> names;
  std::vector<Spread> spreads;
  for (const Thin& thin : measured()) {
    if (!thin.between) continue;
    names.push_back(fmt::format("{}", thin.d_head));
    chance.heights.push_back(mean_abs_cosine(thin.d_head));
    within_head.heights.push_back(thin.within.mean);
    between_heads.heights.push_back(thin.between->mean);
    spreads.push_back(*thin.between);
  }
  mha::Svg svg(
      "How alike thin heads are",
      fmt::format("Likeness over the width of a head, 1 to 32. Two tokens in "
                  "one head: {:.2f} at width 1, falling to {:.2f}. One token "
                  "in two heads: {:.2f} at every width; four pairs in five lie "
                  "from {:.2f} to {:.2f} at width 1, {:.2f} to {:.2f} at 32.",
                  within_head.heights.front(), within_head.heights.back(),
                  spreads.front().mean, spreads.front().low,
                  spreads.front().high, spreads.back().low,
                  spreads.back().high));
  draw_chart(svg, "likeness: correlation of scores, without its sign",
             {"0", "0.25", "0.5", "0.75", "1"}, "width of a head", names,
             {chance, within_head, between_heads});
  svg.open_group("stroke='var(--mark,#b4540a)' stroke-width='1.5'");
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const double x = x_at(i, spreads.size());
    const double low = y_at(spreads[i].low), high = y_at(spreads[i].high);
    svg.line({x - 5, low, x + 5, low, x, low, x, high, x - 5, high, x + 5,
              high}, "");
  }
  svg.close_group();
  return svg.finish(left + across + 16, top + down + 54);
}
// [likeness figure]

// [random shape]
// Small sizes that all differ, any bias, with norms or without.
Shape random_shape(mha::TorchGenerator& generator) {
  const Index kv = 1 + generator.integer(4);
  const Index heads = kv * (1 + generator.integer(4));
  Shape shape = {1 + generator.integer(30), heads, kv,
                 1 + generator.integer(9)};
  shape.bias = std::array{Bias::none, Bias::qkv,
                          Bias::all}[static_cast<std::size_t>(
      generator.integer(3))];
  if (generator.integer(2) == 1) shape.norms = Norms::per_head;
  return shape;
}

// What the refusal says, or "accepted".
template <typename Action>
std::string refusal(Action action) {
  try {
    action();
    return "accepted";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}
// [random shape]

}  // namespace

TEST_CASE("the count of a real layer does not depend on the number of heads") {
  for (const Index n_heads : {1, 2, 4, 8}) {
    CHECK(count_tensors(make_layer(8, n_heads).weights()) == 288);
    CHECK(formula(split(8, n_heads)) == 288);
  }
  for (const Index n_heads : {1, 64}) {
    CHECK(count_tensors(make_layer(512, n_heads).weights()) == 1'050'624);
    CHECK(formula(split(512, n_heads)) == 1'050'624);
  }
}

TEST_CASE("gains on queries and keys are the exception") {
  Shape one = split(8, 1), eight = split(8, 8);
  one.norms = eight.norms = Norms::per_head;
  CHECK(count(tensors(one)) == 288 + 2 * 8);
  CHECK(count(tensors(eight)) == 288 + 2 * 1);
}

TEST_CASE("the score maps hold heads times tokens times tokens numbers") {
  for (const Index n_heads : {1, 2, 8, 64}) {
    const Growth g = growth(n_heads);
    CHECK(g.scores == n_heads * tokens * tokens);
    CHECK(g.parameters == growth(1).parameters);
  }
}

TEST_CASE("the list of tensors counts what a real layer holds") {
  mha::TorchGenerator generator(5);
  for (int trial = 0; trial < 50; ++trial) {
    Shape s = random_shape(generator);
    s.n_kv_heads = s.n_heads;
    s.bias = Bias::all;
    s.norms = Norms::none;
    s.d_key = 1 + generator.integer(30);
    s.d_value = 1 + generator.integer(30);
    const Layer layer(zero_weights(s.d_model, s.n_heads * s.d_head, *s.d_key,
                                   *s.d_value), s.n_heads);
    CHECK(count(tensors(s)) == count_tensors(layer.weights()));
    CHECK(layer.d_head() == s.d_head);
  }
}

TEST_CASE("the formula counts what the tensors hold") {
  mha::TorchGenerator generator(6);
  for (int trial = 0; trial < 200; ++trial) {
    const Shape s = random_shape(generator);
    CHECK(formula(s) == count(tensors(s)));
  }
}

TEST_CASE("every published shape gives the recorded total, counted both ways") {
  CHECK(std::ssize(models()) == 40);
  for (const Model& m : models()) {
    CAPTURE(m.name);
    CHECK(attention_of(m) == m.recorded);
    CHECK(m.layers * formula(m.shape) == m.recorded);
  }
  // Nothing in common but a shape, and so the same count.
  CHECK(attention_of(model_named("GPT-2 124M")) ==
        attention_of(model_named("BERT-base")));
}

TEST_CASE("the latent models give the recorded totals") {
  for (const LatentModel& m : latent_models()) {
    CAPTURE(m.name);
    CHECK(m.layers * count(tensors(m)) == m.recorded);
  }
}

TEST_CASE("three checkpoints hold as many bytes as their shapes say") {
  for (const Checkpoint& c : checkpoints()) {
    CAPTURE(c.model);
    CHECK(2 * whole_model(c) == c.bytes);
  }
}

TEST_CASE("Llama 2 7B has one attention parameter too many for an int") {
  const Index total = attention_of(model_named("Llama 2 7B"));
  CHECK(total == Index{1} << 31);
  CHECK(total - 1 == std::numeric_limits<std::int32_t>::max());
  CHECK(in_32_bits(total) == std::numeric_limits<std::int32_t>::min());
  // A negative count is at least noticed. This one is not.
  CHECK(attention_of(model_named("PaLM 62B")) == 8'858'370'048);
  CHECK(in_32_bits(attention_of(model_named("PaLM 62B"))) == 268'435'456);
}

TEST_CASE("d_model divided by the heads is not d_head in PaLM, Gemma, Qwen3") {
  std::string names;
  for (const Model& m : models()) {
    if (!is_square(m.shape)) names += fmt::format("{}, ", m.name);
  }
  CHECK(names ==
        "PaLM 540B, Gemma 2 2B, Gemma 2 9B, Gemma 2 27B, Gemma 3 1B, "
        "Gemma 3 4B, Gemma 3 12B, Gemma 3 27B, Qwen3 0.6B, Qwen3 4B, "
        "Qwen3 32B, Qwen3 30B-A3B, Qwen3 235B-A22B, ");
}

TEST_CASE("heads need not add up to the width, if their own width is given") {
  // 30 x 128 for 2560 (a question to a project); 24 x 128 for 2048 and
  // 40 x 128 for 5140 (the table of the GPT-3 paper).
  for (const auto& [d_model, n_heads] :
       {std::pair<Index, Index>{2560, 30}, {2048, 24}, {5140, 40}}) {
    CHECK_THROWS_AS(split(d_model, n_heads), std::invalid_argument);
    CHECK(count(tensors({d_model, n_heads, n_heads, 128})) ==
          4 * d_model * n_heads * 128);
  }
  // And such a layer runs: 4 heads of 5 on a width of 8.
  const Layer layer(zero_weights(8, 20, 8, 8), 4);
  CHECK(layer.forward(Matrix<float>::Ones(3, 8)).output.cols() == 8);
}

TEST_CASE("a quarter of the kv heads saves 37.5 % of the weights, "
          "75 % of the cache") {
  const Shape many = model_named("Llama 2 7B").shape;
  const Shape grouped_heads = model_named("Llama 3 8B").shape;
  CHECK(count(tensors(many)) == 67'108'864);
  CHECK(count(tensors(grouped_heads)) == 41'943'040);
  CHECK(1000 * count(tensors(grouped_heads)) == 625 * count(tensors(many)));
  // A token leaves one key and one value for each head that has its own.
  CHECK(4 * grouped_heads.n_kv_heads == many.n_kv_heads);
}

TEST_CASE("a width of 512 for each of 64 heads is 64 times the classical one") {
  const Index per_head = count(tensors({512, 64, 64, 512, Bias::all}));
  CHECK(per_head == 67'207'680);
  CHECK(count(tensors({512, 64, 64, 8, Bias::all})) == 1'050'624);
  CHECK(count_tensors(make_layer(512, 64).weights()) == 1'050'624);
}

TEST_CASE("keys and values may be made from rows of another width") {
  Shape s = split(24, 4);
  s.d_key = 24;
  s.d_value = 12;
  CHECK(count(tensors(s)) == 2016 + 96);
  const Layer layer(zero_weights(24, 24, 24, 12), 4);
  CHECK(count_tensors(layer.weights()) == 2016 + 96);
  const auto result =
      layer.forward(Matrix<float>::Ones(3, 24), Matrix<float>::Ones(5, 24),
                    Matrix<float>::Ones(5, 12));
  CHECK(result.output.cols() == 24);
}

TEST_CASE("a head count that does not divide is refused, with both numbers") {
  for (const auto& [d_model, n_heads] :
       {std::pair<Index, Index>{1024, 12}, {1024, 24}, {512, 6}, {128, 3}}) {
    const std::string by_shape =
        refusal([d = d_model, h = n_heads] { split(d, h); });
    const std::string by_layer =
        refusal([d = d_model, h = n_heads] { make_layer(d, h); });
    for (const std::string& message : {by_shape, by_layer}) {
      CHECK(message.find(fmt::format("n_heads = {} ", n_heads)) !=
            std::string::npos);
      CHECK(message.find(fmt::format("{};", d_model)) != std::string::npos);
    }
  }
}

TEST_CASE("rounding the head width down leaves columns that no head reads") {
  Weights w = make_layer(8, 4).weights();
  mha::TorchGenerator generator(7);
  const Matrix<float> x = generator.normal(5, 8);
  const Matrix<float> before = truncating_layer(x, w, 3);
  w.w_q.rightCols(2).setConstant(std::nanf(""));
  w.w_k.rightCols(2).setConstant(std::nanf(""));
  w.w_v.rightCols(2).setConstant(std::nanf(""));
  w.w_o.bottomRows(2).setConstant(std::nanf(""));
  CHECK(truncating_layer(x, w, 3) == before);
  CHECK(never_read(8, 3) == 3 * 2 * 8 + 3 * 2 + 2 * 8);
  // With heads that divide, nothing is left over.
  CHECK(truncating_layer(x, w, 4).array().isNaN().all());
}

TEST_CASE("a shape or a count that makes no sense is refused") {
  CHECK(refusal([] { tensors({8, 6, 4, 2}); }) ==
        "n_kv_heads = 4 does not divide n_heads = 6; choose a divisor");
  CHECK(refusal([] { tensors({8, 0, 1, 2}); }) ==
        "n_heads = 0, but must be at least 1");
  CHECK(refusal([] { tensors({8, 4, 4, -2}); }) ==
        "d_head = -2, but must be at least 1");
  CHECK(refusal([] { tensors({Index{1} << 40, 1, 1, Index{1} << 40}); }) ==
        "accepted");
  CHECK(refusal([] {
          count(tensors({Index{1} << 40, 1, 1, Index{1} << 40}));
        }) == "1099511627776 x 1099511627776 does not fit in 64 bits");
  CHECK(refusal([] { plus(largest, 1); }) ==
        "9223372036854775807 + 1 does not fit in 64 bits");
}

TEST_CASE("batches of different sizes are refused, not repeated") {
  const Batch one(1, Matrix<float>::Ones(1, 640));
  const Batch four(4, Matrix<float>::Ones(196, 640));
  CHECK(refusal([&] { attend(one, four, four); }) ==
        "queries come in a batch of 1, but keys in one of 4 and values in one "
        "of 4");
  CHECK(attend(four, four, four).size() == 4);
  // The other way there are four answers to one question, and no message.
  CHECK(attend_broadcast(one, four, four).size() == 4);
}

TEST_CASE("the rank of a head's scores is the width of the head") {
  for (const Index d_head : head_widths) {
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
      const auto maps = score_maps(seed, d_head);
      CHECK(rank(maps.front()) == d_head);
      CHECK(rank(maps.back()) == d_head);
    }
  }
}

TEST_CASE("with one slot, each token has one order of keys or its reverse") {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    for (const Matrix<double>& map : score_maps(seed, 1)) {
      const Matrix<double> rows = standardised(map);
      const Matrix<double> all = rows * rows.transpose();
      // Correlations of +1 or -1, each after 64 roundings.
      CHECK((all.cwiseAbs().array() - 1).abs().maxCoeff() <= 64 * 0x1p-50);
      CHECK(different_favourites(map) <= 2);
    }
  }
}

TEST_CASE("softmax lifts the rank: one slot, and the weights have rank 3") {
  const Matrix<double> weights = three_tokens();
  CHECK(rank(weights) == 3);
  CHECK(weights.determinant() == doctest::Approx(0.024431).epsilon(2e-5));
  // The determinant of exp(q k), a Vandermonde, over the sums of the rows.
  const double e = std::exp(1.0);
  const double expected = (e - 1) * (e * e - 1) * (e * e - e) / 3 /
                          (1 + e + e * e) / (1 + e * e + e * e * e * e);
  // A dozen operations on numbers below 1.
  CHECK(std::abs(weights.determinant() - expected) <= 16 * 0x1p-53);
}

TEST_CASE("the logarithm of the weights has rank at most the width plus one") {
  for (const Index d_head : {1, 2, 4, 8, 16}) {
    const Matrix<double> weights = softmax(score_maps(0, d_head)[0]);
    CHECK(rank(weights.array().log().matrix()) <= d_head + 1);
    CHECK(rank(weights) > d_head + 1);
  }
}

TEST_CASE("thin heads are no more alike on average, but some pairs are") {
  for (const Thin& thin : measured()) {
    if (!thin.between) continue;
    // Means of 40 to 1,280 pairs, each sure to a few thousandths.
    CHECK(std::abs(thin.between->mean - measured()[0].between->mean) <= 0.01);
  }
  const Spread thin = *measured()[0].between, wide = *measured()[5].between;
  CHECK(thin.high - thin.low > 5 * (wide.high - wide.low));
}

TEST_CASE("inside a head, tokens become alike as it gets thin") {
  for (std::size_t i = 0; i + 1 < measured().size(); ++i) {
    CHECK(measured()[i].within.low > measured()[i + 1].within.high);
    CHECK(measured()[i].favourites.mean < measured()[i + 1].favourites.mean);
  }
  CHECK(measured()[0].within.low == doctest::Approx(1).epsilon(1e-12));
}

// [main]
int main(int argc, char** argv) {
  Options options;
  constexpr Index most = Index{1} << 20;
  const mha::Chapter chapter = {
      .name = "parameter_count",
      .about = "What more heads cost, counted.",
      .options = {{"--d-model", &options.d_model, "width of a token", 1, most},
                  {"--heads", &options.heads, "query heads", 1, most},
                  {"--kv-heads", &options.kv_heads,
                   "heads with keys and values; 0: all", 0, most},
                  {"--d-head", &options.d_head,
                   "width of a head; 0: d_model / heads", 0, most},
                  {"--layers", &options.layers, "layers", 1, most},
                  {"--no-bias", &options.no_bias, "matrices only"}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"growth", draw_growth}, {"likeness", draw_likeness}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
