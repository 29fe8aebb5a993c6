#include "head_pooling.hpp"

#include "mha/grouped_attention.hpp"
#include "mha/program.hpp"
#include "mha/svg.hpp"

#include <cmath>

namespace pooling {

namespace {

// [pool columns]
// (rows, n_heads d) to (rows, n_kv_heads d).
mha::Matrix<float> pool_columns(const mha::Matrix<float>& w, Index n_heads,
                                Index n_kv_heads, Pooling pooling,
                                mha::TorchGenerator& generator) {
  const Index d = w.cols() / n_heads, group = n_heads / n_kv_heads;
  mha::Matrix<float> out = mha::Matrix<float>::Zero(w.rows(), n_kv_heads * d);
  for (Index g = 0; g < n_kv_heads; ++g) {
    auto to = mha::head_of(out, g, d);
    if (pooling == Pooling::first) {
      to = mha::head_of(w, g * group, d);
    } else if (pooling == Pooling::mean) {
      for (Index i = 0; i < group; ++i) {
        to += mha::head_of(w, g * group + i, d) / static_cast<float>(group);
      }
    } else {
      const float norm = w.norm() / std::sqrt(static_cast<float>(w.size()));
      to = norm * generator.normal(w.rows(), d);
    }
  }
  return out;
}
// [pool columns]

}  // namespace

// [pooled]
Weights pooled(const Weights& weights, Index n_heads, Index n_kv_heads,
               Pooling pooling) {
  mha::kv_head_of(0, n_heads, n_kv_heads);  // the two numbers fit
  mha::TorchGenerator generator(99);
  Weights out = weights;
  const auto pool = [&](const mha::Matrix<float>& w) {
    return pool_columns(w, n_heads, n_kv_heads, pooling, generator);
  };
  out.w_k = pool(weights.w_k);
  out.w_v = pool(weights.w_v);
  if (weights.b_k.size() != 0) out.b_k = pool(weights.b_k);
  if (weights.b_v.size() != 0) out.b_v = pool(weights.b_v);
  return out;
}
// [pooled]

// [run grouped layer]
mha::Matrix<float> grouped_layer(const mha::Matrix<float>& x,
                                 const Weights& w, Index n_heads,
                                 Index n_kv_heads) {
  const mha::Matrix<float> heads = mha::grouped_attention<float>(
      mha::project(x, w.w_q, w.b_q, "x"), mha::project(x, w.w_k, w.b_k, "x"),
      mha::project(x, w.w_v, w.b_v, "x"), n_heads, n_kv_heads);
  return mha::project(heads, w.w_o, w.b_o, "the row of heads");
}
// [run grouped layer]

namespace {

// [alike]
constexpr Index n_heads = 16, d_model = 64, tokens = 24;
constexpr std::uint32_t layers = 20;

// Makes the heads of every group of 16 alike, by as much, without making them
// larger: each is a mixture of itself and of one head that all have in common.
void make_alike(mha::Matrix<float>& w, double likeness,
                mha::TorchGenerator& generator) {
  const Index d = w.cols() / n_heads;
  const float scale = w.norm() / std::sqrt(static_cast<float>(w.size()));
  const mha::Matrix<float> common = scale * generator.normal(w.rows(), d);
  const float own = static_cast<float>(std::sqrt(1 - likeness));
  const float shared = static_cast<float>(std::sqrt(likeness));
  for (Index h = 0; h < n_heads; ++h) {
    mha::head_of(w, h, d) = own * mha::head_of(w, h, d) + shared * common;
  }
}
// [alike]

// [error of]
double error_of(const Weights& w, const mha::Matrix<float>& x,
                Index n_kv_heads, Pooling pooling) {
  const mha::Matrix<float> right = grouped_layer(x, w, n_heads, n_heads);
  const mha::Matrix<float> got = grouped_layer(
      x, pooled(w, n_heads, n_kv_heads, pooling), n_heads, n_kv_heads);
  return static_cast<double>((got - right).norm() / right.norm());
}
// [error of]

}  // namespace

// [measure pooling]
std::vector<PoolErrors> pool_errors(double likeness) {
  std::vector<PoolErrors> all;
  for (const Index n_kv_heads : {16, 8, 4, 2, 1}) {
    PoolErrors mean{n_kv_heads, 0, 0, 0};
    for (std::uint32_t seed = 0; seed < layers; ++seed) {
      mha::TorchGenerator generator(seed);
      Weights w = mha::torch_layer_weights(generator, d_model);
      make_alike(w.w_k, likeness, generator);
      make_alike(w.w_v, likeness, generator);
      const mha::Matrix<float> x = generator.normal(tokens, d_model);
      mean.mean += error_of(w, x, n_kv_heads, Pooling::mean) / layers;
      mean.first += error_of(w, x, n_kv_heads, Pooling::first) / layers;
      mean.random += error_of(w, x, n_kv_heads, Pooling::random) / layers;
    }
    all.push_back(mean);
  }
  return all;
}
// [measure pooling]

// [print pooling]
void print_pooling() {
  mha::heading("From 16 key/value heads to fewer");
  fmt::print("relative error of the output, {} layers of width {}\n", layers,
             d_model);
  fmt::print("kv heads   heads independent      heads alike (0.8)\n");
  fmt::print("           mean  first random     mean  first random\n");
  const auto apart = pool_errors(0), alike = pool_errors(0.8);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    fmt::print("{:8} {:6.2f} {:6.2f} {:6.2f}   {:6.2f} {:6.2f} {:6.2f}\n",
               apart[i].n_kv_heads, apart[i].mean, apart[i].first,
               apart[i].random, alike[i].mean, alike[i].first,
               alike[i].random);
  }
}
// [print pooling]

// [draw pooling]
std::string draw_pooling() {
  const auto apart = pool_errors(0), alike = pool_errors(0.8);
  mha::LineChart chart;
  chart.title = "What joining key/value heads costs";
  chart.description = fmt::format(
      "Relative error of the output from 16 key/value heads down to 1. The "
      "mean of independent heads: up to {:.2f}. Of heads that are alike, their "
      "first: up to {:.2f}, and their mean: up to {:.2f}.",
      apart.back().mean, alike.back().first, alike.back().mean);
  chart.x_label = "key/value heads left of 16";
  chart.y_label = "relative error of the output";
  chart.highest = 1.6;
  mha::Series mean{"mean, alike", {}}, first{"first, alike", {}},
      independent{"mean, independent", {}};
  for (std::size_t i = 0; i < apart.size(); ++i) {
    chart.x.push_back(fmt::format("{}", apart[i].n_kv_heads));
    mean.y.push_back(alike[i].mean);
    first.y.push_back(alike[i].first);
    independent.y.push_back(apart[i].mean);
  }
  chart.series = {mean, first, independent};
  return mha::draw_line_chart(chart);
}
// [draw pooling]

}  // namespace pooling
