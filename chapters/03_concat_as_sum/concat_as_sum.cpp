// Chapter 3: why gluing heads and mixing them is adding up what each writes.
#include "mha/attention.hpp"
#include "mha/generator.hpp"
#include "mha/layer.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"
#include "mha/svg.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace {

// [options]
using mha::Index;
using mha::Matrix;
using mha::RowVector;
using Weights = mha::LayerWeights<double>;
using Layer = mha::MultiHeadAttention<double>;

struct Options {
  Index d_model = 8;
  Index heads = 4;
  Index tokens = 6;
  Index without = 0;
  Index seed = 0;
};
// [options]

// [written by]
// What head h adds to the output: its columns of the concat, times its rows
// of w_o. heads: (T, n_heads d_head), w_o: (n_heads d_head, d_out).
Matrix<double> written_by(const Matrix<double>& heads,
                          const Matrix<double>& w_o, Index h, Index d_head) {
  return mha::head_of(heads, h, d_head) * w_o.middleRows(h * d_head, d_head);
}
// [written by]

// [sum of heads]
// The output of a layer, added up head by head, of the heads in `kept` only.
Matrix<double> sum_of_heads(const Matrix<double>& heads, const Weights& w,
                            Index d_head, const std::vector<Index>& kept) {
  Matrix<double> sum = Matrix<double>::Zero(heads.rows(), w.w_o.cols());
  for (const Index h : kept) sum += written_by(heads, w.w_o, h, d_head);
  if (w.b_o.size() != 0) sum.rowwise() += w.b_o;  // once, not once a head
  return sum;
}
// [sum of heads]

// [kept]
std::vector<Index> all_heads(Index n_heads) {
  std::vector<Index> heads(static_cast<std::size_t>(n_heads));
  std::iota(heads.begin(), heads.end(), Index{0});
  return heads;
}

std::vector<Index> all_but(Index n_heads, Index left_out) {
  std::vector<Index> heads = all_heads(n_heads);
  heads.erase(heads.begin() + left_out);
  return heads;
}
// [kept]

// [share]
// How much of `whole` lies in the direction of `part`, signed. The shares of
// parts that add up to the whole add up to 1.
double share(const Matrix<double>& part, const Matrix<double>& whole) {
  return part.cwiseProduct(whole).sum() / whole.squaredNorm();
}
// [share]

// [circuits]
// How head h compares two tokens, before the scale. (d_model, d_model)
Matrix<double> qk_circuit(const Weights& w, Index h, Index d_head) {
  return mha::head_of(w.w_q, h, d_head) *
         mha::head_of(w.w_k, h, d_head).transpose();
}

// What head h writes about a token that it reads. (d_model, d_out)
Matrix<double> ov_circuit(const Weights& w, Index h, Index d_head) {
  return mha::head_of(w.w_v, h, d_head) *
         w.w_o.middleRows(h * d_head, d_head);
}
// [circuits]

// [singular values]
// Of a square matrix, in descending order.
std::vector<double> singular_values(const Matrix<double>& matrix) {
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(
      matrix);
  return {svd.singularValues().begin(), svd.singularValues().end()};
}

// How many singular values are more than rounding.
Index rank_of(const std::vector<double>& singular) {
  const double least = 1e-12 * singular.front();
  return std::count_if(singular.begin(), singular.end(),
                       [&](double s) { return s > least; });
}
// [singular values]

// [part of]
// Heads `first` to `first + count - 1` as a layer of their own: their columns
// of w_q, w_k and w_v, their rows of w_o. The output bias stays behind.
Weights part_of(const Weights& w, Index first, Index count, Index d_head) {
  const Index begin = first * d_head, width = count * d_head;
  const auto bias = [&](const RowVector<double>& b) -> RowVector<double> {
    return b.segment(b.size() == 0 ? 0 : begin, b.size() == 0 ? 0 : width);
  };
  return {w.w_q.middleCols(begin, width), w.w_k.middleCols(begin, width),
          w.w_v.middleCols(begin, width), w.w_o.middleRows(begin, width),
          bias(w.b_q), bias(w.b_k), bias(w.b_v), {}};
}
// [part of]

// [two layers]
struct TwoLayers {
  Layer first, second;
};

// What the second layer reads when the first has only the heads in `kept`.
Matrix<double> between(const TwoLayers& both, const Matrix<double>& x,
                       const std::vector<Index>& kept) {
  return x + sum_of_heads(both.first.forward(x).heads, both.first.weights(),
                          both.first.d_head(), kept);
}

// Each layer adds its output to what it read.
Matrix<double> at_the_end(const TwoLayers& both, const Matrix<double>& x,
                          const std::vector<Index>& kept) {
  const Matrix<double> read = between(both, x, kept);
  return read + both.second.forward(read).output;
}
// [two layers]

// [orders]
using Parts = std::vector<Matrix<float>>;

Matrix<float> add_forwards(const Parts& parts) {
  Matrix<float> sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) sum += parts[i];
  return sum;
}

// As machines may do it: neighbours first, then the sums of neighbours.
Matrix<float> add_in_pairs(Parts parts) {
  for (std::size_t step = 1; step < parts.size(); step *= 2) {
    for (std::size_t i = 0; i + step < parts.size(); i += 2 * step) {
      parts[i] += parts[i + step];
    }
  }
  return parts.front();
}
// [orders]

// [add then project]
// A mistake: the heads are added up first, and one small w_o of d_head rows
// serves them all.
Matrix<double> add_then_project(const Matrix<double>& heads,
                                const Matrix<double>& small_w_o) {
  const Index d_head = small_w_o.rows();
  Matrix<double> sum = Matrix<double>::Zero(heads.rows(), d_head);
  for (Index h = 0; h < heads.cols() / d_head; ++h) {
    sum += mha::head_of(heads, h, d_head);
  }
  return sum * small_w_o;
}
// [add then project]

// [bias every time]
// A mistake: a projection with bias for every head.
Matrix<double> bias_every_time(const Matrix<double>& heads, const Weights& w,
                               Index d_head) {
  Matrix<double> sum = Matrix<double>::Zero(heads.rows(), w.w_o.cols());
  for (Index h = 0; h < heads.cols() / d_head; ++h) {
    sum += written_by(heads, w.w_o, h, d_head);
    sum.rowwise() += w.b_o;
  }
  return sum;
}
// [bias every time]

// [wrong axis]
// A mistake: to take out head h, its columns of w_o are cleared, not its rows.
Weights clear_columns(Weights w, Index h, Index d_head) {
  w.w_o.middleCols(h * d_head, d_head).setZero();
  return w;
}

Weights clear_rows(Weights w, Index h, Index d_head) {
  w.w_o.middleRows(h * d_head, d_head).setZero();
  return w;
}
// [wrong axis]

// [run]
struct Run {
  Matrix<double> x;  // (T, d_model)
  TwoLayers both;
  mha::LayerResult<double> result;  // of the first layer
  std::vector<Matrix<double>> written;  // by each head, (T, d_model)
  RowVector<double> b_v, b_o;  // biases for the section that needs some
};

Run run_layers(const Options& options) {
  mha::require(options.without < options.heads,
               "there is no head {}; with {} heads the last is head {}",
               options.without, options.heads, options.heads - 1);
  mha::TorchGenerator generator(static_cast<std::uint32_t>(options.seed));
  const auto layer = [&] {
    return Layer(
        mha::torch_layer_weights(generator, options.d_model).cast<double>(),
        options.heads);
  };
  Layer first = layer();  // chapter 2's reference layer, and its x
  Matrix<double> x =
      generator.normal(options.tokens, options.d_model).cast<double>();
  Layer second = layer();
  auto result = first.forward(x);
  std::vector<Matrix<double>> written;
  for (const Index h : all_heads(options.heads)) {
    written.push_back(written_by(result.heads, first.weights().w_o, h,
                                 first.d_head()));
  }
  return {std::move(x),
          {std::move(first), std::move(second)},
          std::move(result),
          std::move(written),
          generator.normal(1, options.d_model).cast<double>(),
          generator.normal(1, options.d_model).cast<double>()};
}
// [run]

// [printing]
// What would print as -0.000 becomes 0.
double no_minus_zero(double x) { return std::abs(x) < 5e-4 ? 0.0 : x; }

// At most 8 columns, so that a line stays readable.
template <typename Row>
void print_row(const std::string& name, const Row& row) {
  fmt::print("{:<10}", name);
  for (Index c = 0; c < std::min<Index>(row.size(), 8); ++c) {
    fmt::print(" {:6.3f}", no_minus_zero(row(c)));
  }
  fmt::print("{}\n", row.size() > 8 ? " ..." : "");
}

void print_sum(const Run& run) {
  mha::heading("Token 0, slot by slot");
  Matrix<double> sum = Matrix<double>::Zero(run.x.rows(), run.x.cols());
  for (std::size_t h = 0; h < run.written.size(); ++h) {
    print_row(fmt::format("head {}", h), run.written[h].row(0));
    sum += run.written[h];
  }
  print_row("sum", sum.row(0));
  print_row("layer", run.result.output.row(0));
}

void print_shares(const Run& run) {
  mha::heading("What each head wrote");
  const Matrix<double>& output = run.result.output;
  fmt::print("            norm   norm / output's   share\n");
  double norms = 0, shares = 0;
  const auto line = [&](const std::string& name, double norm, double part) {
    fmt::print("{:<9} {:6.3f} {:15.1f} % {:8.3f}\n", name, norm,
               100 * norm / output.norm(), no_minus_zero(part));
  };
  for (std::size_t h = 0; h < run.written.size(); ++h) {
    const double norm = run.written[h].norm();
    const double part = share(run.written[h], output);
    line(fmt::format("head {}", h), norm, part);
    norms += norm;
    shares += part;
  }
  line("together", norms, shares);
  line("output", output.norm(), 1);
}

void print_without(const Options& options, const Run& run) {
  const Index h = options.without;
  mha::heading(fmt::format("Without head {}, token 0", h));
  const Layer& layer = run.both.first;
  const Layer without(clear_rows(layer.weights(), h, layer.d_head()),
                      layer.n_heads());
  const Matrix<double> after = without.forward(run.x).output;
  const Matrix<double> change = run.result.output - after;
  print_row("with it", run.result.output.row(0));
  print_row("without", after.row(0));
  print_row("difference", change.row(0));
  print_row("it wrote", run.written[static_cast<std::size_t>(h)].row(0));
}

void print_bias(const Run& run) {
  mha::heading("What a value bias adds");
  Weights w = run.both.first.weights();
  w.b_v = run.b_v;
  print_row("b_v w_o", w.b_v * w.w_o);
  const Layer biased(w, run.both.first.n_heads());
  const Index last = run.x.rows() - 1;
  const auto added = [&](const mha::AttentionOptions& options) {
    return Matrix<double>(biased.forward(run.x, options).output -
                          run.both.first.forward(run.x, options).output);
  };
  print_row("token 0", added({}).row(0));
  print_row("the last", added({}).row(last));
  print_row("causal", added({.causal = mha::Causal::top_left}).row(last));
  const mha::BoolMatrix nothing =
      mha::BoolMatrix::Constant(1, run.x.rows(), false);
  print_row("sees none",
            added({.keys = mha::AttendMask::where_true_attends(nothing)})
                .row(last));
}

void print_spectrum(const std::string& name, const Matrix<double>& circuit) {
  const std::vector<double> s = singular_values(circuit);
  const Eigen::Map<const RowVector<double>> row(s.data(), std::ssize(s));
  print_row(fmt::format("{:<6}{:4}", name, rank_of(s)), row);
}

void print_spectra(const Run& run) {
  const Layer& layer = run.both.first;
  const Weights& w = layer.weights();
  const auto print = [&](const auto& circuit, const Matrix<double>& full) {
    for (const Index h : all_heads(std::min<Index>(layer.n_heads(), 8))) {
      print_spectrum(fmt::format("head {}", h),
                     circuit(w, h, layer.d_head()));
    }
    print_spectrum("all", full);
  };
  mha::heading("OV: rank and singular values");
  print(ov_circuit, w.w_v * w.w_o);
  mha::heading("QK: rank and singular values");
  print(qk_circuit, w.w_q * w.w_k.transpose());
}
// [printing]

// [measuring]
struct Order {
  std::string name;
  Index differing;  // entries with another value than forwards
  double apart;     // largest difference from forwards
  double error;     // largest difference from the sum in double precision
};

std::vector<Order> measure_orders(const Run& run) {
  Parts parts;
  Matrix<double> exact = Matrix<double>::Zero(run.x.rows(), run.x.cols());
  for (const Matrix<double>& part : run.written) {
    parts.push_back(part.cast<float>());
    exact += parts.back().cast<double>();
  }
  const Matrix<float> forwards = add_forwards(parts);
  const auto measure = [&](const std::string& name, const Matrix<float>& sum) {
    return Order{name, (sum.array() != forwards.array()).count(),
                 mha::max_abs_difference(sum, forwards),
                 mha::max_abs_difference(sum, exact)};
  };
  const Parts reversed(parts.rbegin(), parts.rend());
  return {measure("forwards", forwards),
          measure("backwards", add_forwards(reversed)),
          measure("in pairs", add_in_pairs(parts))};
}

void print_orders(const Run& run) {
  mha::heading("The same float32 numbers, added in three orders");
  fmt::print("           entries that differ   by at most   error\n");
  for (const Order& order : measure_orders(run)) {
    fmt::print("{:<9} {:11} of {:<7} {:12.2e} {:9.2e}\n", order.name,
               order.differing, run.x.size(), order.apart, order.error);
  }
}

struct Ablation {
  Matrix<double> change;  // of the end, when these heads write nothing
  double by_second;       // norm of what the second layer made of it
  double moved;           // largest change of a weight in the second layer
};

Ablation ablate(const Run& run, const std::vector<Index>& kept) {
  const std::vector<Index> all = all_heads(run.both.first.n_heads());
  const Matrix<double> whole = between(run.both, run.x, all);
  const Matrix<double> left = between(run.both, run.x, kept);
  const Matrix<double> change = at_the_end(run.both, run.x, all) -
                                at_the_end(run.both, run.x, kept);
  const auto before = run.both.second.forward(whole).weights;
  const auto after = run.both.second.forward(left).weights;
  double moved = 0;
  for (std::size_t h = 0; h < before.size(); ++h) {
    moved = std::max(moved, mha::max_abs_difference(before[h], after[h]));
  }
  return {change, (change - (whole - left)).norm(), moved};
}

void print_two_layers(const Run& run) {
  mha::heading("Two layers, a head of the first left out");
  fmt::print("          it wrote   the end changes   layer 2's part   "
             "a weight moves\n");
  const Index n_heads = run.both.first.n_heads();
  for (const Index h : all_heads(n_heads)) {
    const Ablation a = ablate(run, all_but(n_heads, h));
    fmt::print("{:<7} {:10.3f} {:17.3f} {:16.3f} {:16.3f}\n",
               fmt::format("head {}", h),
               run.written[static_cast<std::size_t>(h)].norm(),
               a.change.norm(), a.by_second, a.moved);
  }
}

// How far the change without heads 0 and 1 is from the two changes, added.
double not_additive(const Run& run) {
  const Index n_heads = run.both.first.n_heads();
  std::vector<Index> neither = all_but(n_heads, 0);
  neither.erase(neither.begin());
  return (ablate(run, neither).change -
          ablate(run, all_but(n_heads, 0)).change -
          ablate(run, all_but(n_heads, 1)).change).norm();
}
// [measuring]

// [demo]
void demo(const Options& options) {
  const Run run = run_layers(options);
  print_sum(run);
  print_shares(run);
  print_without(options, run);
  print_bias(run);
  print_spectra(run);
  print_orders(run);
  print_two_layers(run);
}

mha::Values values(const Options& options) {
  const Run run = run_layers(options);
  const Matrix<double>& output = run.result.output;
  mha::Values values;
  double norms = 0;
  for (std::size_t h = 0; h < run.written.size(); ++h) {
    const Matrix<double>& part = run.written[h];
    const Ablation a =
        ablate(run, all_but(options.heads, static_cast<Index>(h)));
    norms += part.norm() / output.norm();
    values.add(fmt::format("norm{}", h), 100 * part.norm() / output.norm(),
               "{:.0f} %");
    values.add(fmt::format("share{}", h), 100 * share(part, output),
               "{:.0f} %");
    values.add(fmt::format("end{}_of_100", h),
               100 * a.change.norm() / part.norm(), "{:.0f}");
    values.add(fmt::format("second{}_of_100", h),
               100 * a.by_second / part.norm(), "{:.0f}");
    values.add(fmt::format("moved{}", h), a.moved, "{:.2f}");
  }
  values.add("norms", 100 * norms, "{:.0f} %");
  if (options.heads >= 2) {
    values.add("not_additive", not_additive(run), "{:.3f}");
  }
  const std::vector<Order> orders = measure_orders(run);
  values.add("backwards", static_cast<double>(orders[1].differing), "{:.0f}");
  values.add("entries", static_cast<double>(run.x.size()), "{:.0f}");
  values.add("apart", orders[1].apart, "{:.1e}");
  // Exercise 3.1: three heads write about one token of width 2.
  const Matrix<double> one{{5, 1}}, two{{-2, 0}}, three{{1, 3}};
  values.add("exercise_share", share(two, one + two + three), "{:.2f}");
  return values;
}
// [demo]

// [figures]
// A row of bars on a base line, up for positive numbers and down for negative
// ones. `most` is the number whose bar is `tallest` pixels high.
struct Bars {
  double left, base, step, most, tallest;
};

void draw_bars(mha::Svg& svg, const Bars& bars, const std::string& name,
               const std::vector<double>& numbers) {
  const double count = static_cast<double>(numbers.size());
  svg.rectangle(bars.left, bars.base, bars.step * count - 2, 1,
                "fill='var(--quiet,#666)' fill-opacity='0.4'");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double height = bars.tallest * std::abs(numbers[i]) / bars.most;
    if (height < 0.3) continue;  // too low to be seen
    svg.rectangle(bars.left + bars.step * static_cast<double>(i),
                  numbers[i] > 0 ? bars.base - height : bars.base + 1,
                  bars.step - 2, height,
                  numbers[i] > 0 ? "fill='var(--heat,#2563a8)'"
                                 : "fill='var(--mark,#b4540a)'",
                  fmt::format("{}, {}: {:.3f}", name, i, numbers[i]));
  }
}

std::string draw_sum(const Options& options) {
  const Run run = run_layers(options);
  const Index slots = std::min<Index>(options.d_model, 8);
  const std::size_t shown = std::min<std::size_t>(run.written.size(), 8);
  mha::Svg svg(
      "What each head adds to each slot of token 0",
      fmt::format("Rows of bars, one row for each head and one for their sum, "
                  "with a bar for each of {} slots. In every slot the bars of "
                  "the heads add up to the bar of the sum; some point up and "
                  "some down, and partly cancel.", slots));
  double most = run.result.output.row(0).cwiseAbs().maxCoeff();
  for (const Matrix<double>& part : run.written) {
    most = std::max(most, part.row(0).cwiseAbs().maxCoeff());
  }
  const auto draw_line = [&](double base, const std::string& name,
                             const Matrix<double>& rows) {
    svg.text(0, base + 4, name, "", "font-weight='600'");
    const auto first = rows.data();  // row 0 comes first in memory
    draw_bars(svg, {54, base, 37, most, 26}, name, {first, first + slots});
  };
  double base = 30;
  for (std::size_t h = 0; h < shown; ++h, base += 58) {
    draw_line(base, fmt::format("head {}", h), run.written[h]);
  }
  const double right = 54 + 37 * static_cast<double>(slots);
  svg.rectangle(0, base - 29, right - 2, 1.5, "fill='var(--ink,#222)'");
  draw_line(base + 4, "sum", run.result.output);
  svg.text(0, base + 48, "slot", "", "fill='var(--quiet,#666)'");
  for (Index c = 0; c < slots; ++c) {
    svg.text(54 + 37 * (static_cast<double>(c) + 0.5) - 1, base + 48,
             fmt::format("{}", c), "middle", "fill='var(--quiet,#666)'");
  }
  return svg.finish(right, base + 54);
}

std::string draw_spectra(const Options& options) {
  const Run run = run_layers(options);
  const Layer& layer = run.both.first;
  const Weights& w = layer.weights();
  const Index shown = std::min<Index>(options.heads, 4);
  mha::Svg svg(
      "How many directions each circuit has",
      fmt::format("Bars for the singular values of each head's circuits, "
                  "largest first, beside those of one head of full width. "
                  "Each head has {} that are not zero, the full width has {}.",
                  layer.d_head(), options.d_model));
  const auto draw_row = [&](double base, const std::string& title,
                            const auto& circuit, const Matrix<double>& full) {
    const double most = singular_values(full).front();
    const auto panel = [&](Index place, const std::string& name,
                           const Matrix<double>& matrix) {
      std::vector<double> numbers = singular_values(matrix);
      numbers.resize(std::min<std::size_t>(numbers.size(), 8));
      const double left = 71 * static_cast<double>(place);
      svg.text(left, base + 18, name, "", "fill='var(--quiet,#666)'");
      draw_bars(svg, {left, base, 8, most, 64}, name, numbers);
    };
    svg.text(0, base - 78, title, "", "font-weight='600'");
    for (Index h = 0; h < shown; ++h) {
      panel(h, fmt::format("head {}", h), circuit(w, h, layer.d_head()));
    }
    panel(shown, "full width", full);
  };
  draw_row(92, "OV: what a head writes about what it reads", ov_circuit,
           w.w_v * w.w_o);
  draw_row(216, "QK: how a head compares", qk_circuit,
           w.w_q * w.w_k.transpose());
  return svg.finish(71 * static_cast<double>(shown) + 70, 238);
}
// [figures]

// [random case]
// A layer of random shape with every bias set, and something for it to read.
struct Case {
  Layer layer;
  Matrix<double> x;                 // (T, d_in)
  mha::LayerResult<double> result;
  double tolerance;
};

Case random_case(mha::TorchGenerator& generator, Index least_heads = 1) {
  const Index n_heads = least_heads + generator.integer(6);
  const Index width = n_heads * (1 + generator.integer(7));
  const Index d_in = 1 + generator.integer(9);
  const Index d_out = 1 + generator.integer(9);
  const auto normal = [&](Index rows, Index columns) -> Matrix<double> {
    return generator.normal(rows, columns).cast<double>();
  };
  const Weights w = {normal(d_in, width),  normal(d_in, width),
                     normal(d_in, width),  normal(width, d_out),
                     normal(1, width),     normal(1, width),
                     normal(1, width),     normal(1, d_out)};
  Layer layer(w, n_heads);
  Matrix<double> x = normal(1 + generator.integer(9), d_in);
  auto result = layer.forward(x);
  // [random case]
  // [tolerance]
  // A sum of n products, in any order, is off by at most n + 1 roundings of
  // the sum of their sizes. Two such sums are compared.
  const double terms = static_cast<double>(width) + 2;
  const double sizes =
      (result.heads.cwiseAbs() * w.w_o.cwiseAbs()).maxCoeff() +
      w.b_o.cwiseAbs().maxCoeff();
  const double tolerance = 2 * terms * 0x1p-53 * sizes;
  return {std::move(layer), std::move(x), std::move(result), tolerance};
}
// [tolerance]

}  // namespace

TEST_CASE("the layer equals the sum of what its heads write") {
  mha::TorchGenerator generator(30);
  for (int trial = 0; trial < 200; ++trial) {
    const Case c = random_case(generator);
    const Matrix<double> sum =
        sum_of_heads(c.result.heads, c.layer.weights(), c.layer.d_head(),
                     all_heads(c.layer.n_heads()));
    CHECK(mha::max_abs_difference(sum, c.result.output) <= c.tolerance);
  }
}

TEST_CASE("without a head the output lacks what that head wrote, no more") {
  mha::TorchGenerator generator(31);
  for (int trial = 0; trial < 100; ++trial) {
    const Case c = random_case(generator);
    const Index d_head = c.layer.d_head();
    const Index h = generator.integer(c.layer.n_heads());
    const Weights& w = c.layer.weights();
    const Layer without(clear_rows(w, h, d_head), c.layer.n_heads());
    const Matrix<double> expected =
        c.result.output - written_by(c.result.heads, w.w_o, h, d_head);
    CHECK(mha::max_abs_difference(without.forward(c.x).output, expected) <=
          c.tolerance);
  }
}

TEST_CASE("signed shares add up to 1, shares of the norm do not") {
  const Run run = run_layers({});
  double shares = 0, norms = 0;
  for (const Matrix<double>& part : run.written) {
    shares += share(part, run.result.output);
    norms += part.norm() / run.result.output.norm();
  }
  CHECK(std::abs(shares - 1) <= 1e-14);
  CHECK(norms > 1.2);
  // A head that works against the others has a share below zero.
  const Matrix<double> with{{2, 0}}, against{{-1, 1}};
  CHECK(share(against, with + against) == 0);
  CHECK(share(against, 0.5 * with + against) > 0);
  CHECK(share(against, 2 * with + against) < 0);
}

TEST_CASE("a bias with every head is added too often, unless it is zero") {
  mha::TorchGenerator generator(32);
  for (int trial = 0; trial < 50; ++trial) {
    const Case c = random_case(generator, 2);
    Weights w = c.layer.weights();
    const Matrix<double> wrong =
        bias_every_time(c.result.heads, w, c.layer.d_head());
    const double extra = static_cast<double>(c.layer.n_heads() - 1);
    const Matrix<double> expected =
        c.result.output.rowwise() + (extra * w.b_o).eval();
    CHECK(mha::max_abs_difference(wrong, expected) <=
          (extra + 1) * c.tolerance);
    w.b_o.setZero();  // as in a fresh layer: the mistake cannot be seen
    CHECK(mha::max_abs_difference(
              bias_every_time(c.result.heads, w, c.layer.d_head()),
              Layer(w, c.layer.n_heads()).forward(c.x).output) <= c.tolerance);
  }
}

TEST_CASE("a value bias adds one constant row, wherever a head looks") {
  mha::TorchGenerator generator(33);
  for (int trial = 0; trial < 100; ++trial) {
    const Case c = random_case(generator);
    Weights w = c.layer.weights();
    const RowVector<double> row = w.b_v * w.w_o;
    w.b_v.setZero();
    const Layer plain(w, c.layer.n_heads());
    for (const auto causal : {mha::Causal::none, mha::Causal::top_left}) {
      const Matrix<double> expected =
          plain.forward(c.x, {.causal = causal}).output.rowwise() + row;
      // The weights of a row sum to 1 up to a rounding each, so a few more.
      CHECK(mha::max_abs_difference(
                c.layer.forward(c.x, {.causal = causal}).output, expected) <=
            8 * c.tolerance);
    }
  }
}

TEST_CASE("a token that sees no key gets the output bias and nothing else") {
  mha::TorchGenerator generator(34);
  const Case c = random_case(generator);
  mha::BoolMatrix visible =
      mha::BoolMatrix::Constant(c.x.rows(), c.x.rows(), true);
  visible.row(0).setConstant(false);
  const auto output =
      c.layer.forward(c.x, {.pairs = mha::AttendMask::where_true_attends(
                                visible)}).output;
  CHECK(output.row(0) == c.layer.weights().b_o);
}

TEST_CASE("a key bias changes nothing") {
  mha::TorchGenerator generator(35);
  for (int trial = 0; trial < 50; ++trial) {
    const Case c = random_case(generator);
    Weights w = c.layer.weights();
    w.b_k.setZero();
    const Layer plain(w, c.layer.n_heads());
    // Scores of size 100 are rounded before the softmax: 100 units and more.
    CHECK(mha::max_abs_difference(plain.forward(c.x).output,
                                  c.result.output) <= 1e3 * c.tolerance);
  }
}

TEST_CASE("a head is its two circuits and nothing else") {
  const Run run = run_layers({});
  const Layer& layer = run.both.first;
  const mha::BoolMatrix all = mha::BoolMatrix::Constant(6, 6, true);
  for (const Index h : all_heads(4)) {
    const Matrix<double> scores = run.x * qk_circuit(layer.weights(), h, 2) *
                                  run.x.transpose() / std::sqrt(2.0);
    const Matrix<double> written = mha::masked_softmax(scores, all) * run.x *
                                   ov_circuit(layer.weights(), h, 2);
    // Numbers below 4, in some thirty roundings.
    CHECK(mha::max_abs_difference(
              written, run.written[static_cast<std::size_t>(h)]) <= 1e-14);
  }
}

TEST_CASE("a circuit's rank is at most the width of its head") {
  for (const auto& [d_model, n_heads] :
       {std::pair<Index, Index>{8, 4}, {8, 8}, {12, 3}, {64, 8}}) {
    const Run run = run_layers({.d_model = d_model, .heads = n_heads});
    const Weights& w = run.both.first.weights();
    const Index d_head = d_model / n_heads;
    Matrix<double> sum = Matrix<double>::Zero(d_model, d_model);
    for (const Index h : all_heads(n_heads)) {
      CHECK(rank_of(singular_values(ov_circuit(w, h, d_head))) == d_head);
      CHECK(rank_of(singular_values(qk_circuit(w, h, d_head))) == d_head);
      sum += ov_circuit(w, h, d_head);
    }
    // The thin circuits of all heads add up to one circuit of full rank.
    CHECK(mha::max_abs_difference(sum, w.w_v * w.w_o) <= 1e-13);
    CHECK(rank_of(singular_values(sum)) == d_model);
  }
}

TEST_CASE("other factors of a circuit make the same head") {
  mha::TorchGenerator generator(36);
  for (int trial = 0; trial < 50; ++trial) {
    const Case c = random_case(generator);
    const Index d = c.layer.d_head();
    Weights w = c.layer.weights();
    for (const Index h : all_heads(c.layer.n_heads())) {
      const auto times = [&](auto& all, const Matrix<double>& m) {
        mha::head_of(all, h, d) = (mha::head_of(all, h, d) * m).eval();
      };
      // Ones on the diagonal and zeros above it, so it has an inverse.
      const Matrix<double> m = generator.uniform(d, d, -1, 1).cast<double>()
                                   .triangularView<Eigen::UnitLower>();
      const Matrix<double> inverse = m.inverse();
      times(w.w_v, m), times(w.b_v, m);
      w.w_o.middleRows(h * d, d) =
          (inverse * w.w_o.middleRows(h * d, d)).eval();
      times(w.w_q, m), times(w.b_q, m);
      times(w.w_k, inverse.transpose()), times(w.b_k, inverse.transpose());
    }
    const Layer other(w, c.layer.n_heads());
    // m and its inverse enlarge roundings up to a thousand times at width 7.
    CHECK(mha::max_abs_difference(other.forward(c.x).output,
                                  c.result.output) <= 1e4 * c.tolerance);
  }
}

TEST_CASE("the softmax of scores of rank 1 can have full rank") {
  const Matrix<double> q{{0}, {1}, {2}};
  const auto result = mha::attention(q, q, q);
  CHECK(rank_of(singular_values(result.scores)) == 1);
  CHECK(rank_of(singular_values(result.weights)) == 3);
}

TEST_CASE("two machines with half of the heads each add up to the layer") {
  mha::TorchGenerator generator(37);
  for (int trial = 0; trial < 50; ++trial) {
    const Case c = random_case(generator, 2);
    const Weights& w = c.layer.weights();
    const Index here = 1 + generator.integer(c.layer.n_heads() - 1);
    const Index there = c.layer.n_heads() - here;
    const Layer one(part_of(w, 0, here, c.layer.d_head()), here);
    const Layer two(part_of(w, here, there, c.layer.d_head()), there);
    Matrix<double> sum = one.forward(c.x).output + two.forward(c.x).output;
    sum.rowwise() += w.b_o;
    CHECK(mha::max_abs_difference(sum, c.result.output) <= c.tolerance);
  }
}

TEST_CASE("another order of the same float32 sum moves last bits only") {
  const Run run = run_layers({});
  Matrix<double> sizes = Matrix<double>::Zero(6, 8);
  for (const Matrix<double>& part : run.written) sizes += part.cwiseAbs();
  const std::vector<Order> orders = measure_orders(run);
  CHECK(orders[1].differing > 0);
  for (const Order& order : orders) {
    // Three additions, each off by at most a unit roundoff of the sizes.
    CHECK(order.error <= 3 * 0x1p-24 * sizes.maxCoeff());
  }
}

TEST_CASE("the next layer looks elsewhere when a head is left out") {
  const Run run = run_layers({});
  for (const Index h : all_heads(4)) {
    const Ablation a = ablate(run, all_but(4, h));
    CHECK(a.moved > 0.005);
    CHECK(a.by_second > 0.01);
  }
  // So what two heads do to the end is not the sum of what each does.
  CHECK(not_additive(run) > 0.001);
}

TEST_CASE("hiding a token is not taking away what it gave") {
  const Run run = run_layers({});
  const Layer& layer = run.both.first;
  const Matrix<double> v = run.x * layer.weights().w_v;
  mha::BoolMatrix keys = mha::BoolMatrix::Constant(1, 6, true);
  keys(2) = false;
  const auto hidden = layer.forward(
      run.x, {.keys = mha::AttendMask::where_true_attends(keys)});
  for (const Index h : all_heads(4)) {
    const auto value = mha::head_of(v, h, 2).row(2);
    for (Index i = 0; i < 6; ++i) {
      const double a = run.result.weights[static_cast<std::size_t>(h)](i, 2);
      const auto before = mha::head_of(run.result.heads, h, 2).row(i);
      const auto after = mha::head_of(hidden.heads, h, 2).row(i);
      // The others share out what token 2 had: everything grows by 1/(1-a).
      CHECK(mha::max_abs_difference(
                after, (before - a * value) / (1 - a)) <= 1e-14);
      CHECK(mha::max_abs_difference(after, before - a * value) > 1e-4);
    }
  }
}

TEST_CASE("without w_o a head reaches its own slots and no other") {
  const Run run = run_layers({});
  Weights w = run.both.first.weights();
  const auto slots_changed = [&](const Weights& weights) {
    Weights other = weights;
    mha::head_of(other.w_v, 1, 2) *= 2;
    const Matrix<double> change =
        Layer(other, 4).forward(run.x).output -
        Layer(weights, 4).forward(run.x).output;
    return (change.cwiseAbs().colwise().maxCoeff().array() > 1e-6).count();
  };
  CHECK(slots_changed(w) == 8);
  w.w_o.setIdentity();
  CHECK(slots_changed(w) == 2);
  CHECK(Layer(w, 4).forward(run.x).output == run.result.heads);
}

TEST_CASE("heads added up before w_o cannot be told apart") {
  const Run run = run_layers({});
  const Matrix<double> small = run.both.first.weights().w_o.topRows(2);
  const Matrix<double>& heads = run.result.heads;
  Matrix<double> swapped = heads;
  mha::head_of(swapped, 0, 2) = mha::head_of(heads, 3, 2);
  mha::head_of(swapped, 3, 2) = mha::head_of(heads, 0, 2);
  // Four terms a slot in another order: a few roundings of numbers below 4.
  CHECK(mha::max_abs_difference(add_then_project(swapped, small),
                                add_then_project(heads, small)) <= 1e-15);
  // It is the concat with the same rows of w_o for every head.
  const Matrix<double> tied = small.replicate(4, 1);
  CHECK(mha::max_abs_difference(add_then_project(heads, small),
                                heads * tied) <= 1e-15);
  const Matrix<double>& w_o = run.both.first.weights().w_o;
  CHECK(mha::max_abs_difference(swapped * w_o, heads * w_o) > 0.1);
}

TEST_CASE("clearing columns of w_o silences slots, clearing rows a head") {
  const Run run = run_layers({});
  const Layer& layer = run.both.first;
  const auto output = [&](const Weights& w) {
    return Layer(w, 4).forward(run.x).output;
  };
  const Matrix<double> rows = output(clear_rows(layer.weights(), 1, 2));
  const Matrix<double> columns = output(clear_columns(layer.weights(), 1, 2));
  CHECK(mha::max_abs_difference(run.result.output - rows, run.written[1]) <=
        1e-15);
  CHECK((columns.middleCols(2, 2).array() == 0).all());
  CHECK(mha::max_abs_difference(columns.leftCols(2),
                                run.result.output.leftCols(2)) <= 1e-15);
}

TEST_CASE("with every head left out the output bias is left") {
  mha::TorchGenerator generator(38);
  const Case c = random_case(generator);
  const Matrix<double> left = sum_of_heads(
      c.result.heads, c.layer.weights(), c.layer.d_head(), {});
  CHECK(left == c.layer.weights().b_o.replicate(c.x.rows(), 1));
}

TEST_CASE("a head that is not there is refused") {
  CHECK_THROWS_WITH_AS(
      run_layers({.heads = 4, .without = 4}),
      "there is no head 4; with 4 heads the last is head 3",
      std::invalid_argument);
}

// [main]
int main(int argc, char** argv) {
  Options options;
  const mha::Chapter chapter = {
      .name = "concat_as_sum",
      .about = "Gluing heads and mixing them is adding up what each writes.",
      .options = {{"--d-model", &options.d_model, "width of a token", 1, 64},
                  {"--heads", &options.heads, "number of heads", 1, 64},
                  {"--tokens", &options.tokens, "number of tokens", 1, 64},
                  {"--without", &options.without, "head to leave out", 0, 63},
                  {"--seed", &options.seed, "of the generator", 0, 0xFFFFFFFF}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"sum", [&] { return draw_sum(options); }},
                  {"spectra", [&] { return draw_spectra(options); }}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
