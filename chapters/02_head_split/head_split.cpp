// Chapter 2: several searches out of one width, and how to know they are right.
#include "mha/attention.hpp"
#include "mha/generator.hpp"
#include "mha/layer.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"
#include "mha/svg.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace {

// [short names]
using mha::Index;
using mha::Matrix;
// [short names]

// [options]
struct Options {
  Index d_model = 8;
  Index heads = 4;
  Index tokens = 6;
  Index seed = 0;
};
// [options]

// [recorded]
// What PyTorch 1.13.1 printed for torch.manual_seed(0) in evaluation mode and
// without gradients, eight columns a token.
constexpr std::array<float, 48> recorded_by_pytorch = {
    -0.213702619F, -0.0650889948F, -0.157636523F, -0.302911729F,
    -0.129793495F, -0.245185554F, 0.33490181F, -0.202701822F,
    0.0745483935F, 0.0230907388F, 0.102669232F, 0.151274592F,
    -0.0241014436F, 0.0351624452F, -0.094792828F, 0.0359388515F,
    0.166312799F, 0.0557282642F, 0.141917333F, 0.350560963F,
    0.0631741285F, 0.183743984F, -0.261240065F, 0.137166694F,
    -0.0125260018F, -0.0165508278F, 0.00568682328F, 0.160171509F,
    -0.102575772F, 0.0962739736F, -0.0608606115F, -0.00591576844F,
    0.140986294F, 0.0553318821F, 0.136318266F, 0.356628776F,
    0.013804473F, 0.132603839F, -0.215063885F, 0.107717156F,
    0.006060794F, -0.0138871362F, 0.0304577462F, 0.185262799F,
    -0.107021138F, 0.0806333572F, -0.0641697124F, 3.18326056e-06F};

std::optional<Matrix<float>> recorded_output(const Options& options) {
  const bool recorded = options.d_model == 8 && options.heads == 4 &&
                        options.tokens == 6 && options.seed == 0;
  if (!recorded) return std::nullopt;
  return Eigen::Map<const Matrix<float>>(recorded_by_pytorch.data(), 6, 8);
}
// [recorded]

// [run]
struct Run {
  Matrix<float> x;  // (T, d_model)
  mha::MultiHeadAttention<float> layer;
  mha::LayerResult<float> result;
};

Run run_layer(const Options& options) {
  mha::TorchGenerator generator(static_cast<std::uint32_t>(options.seed));
  mha::MultiHeadAttention<float> layer(
      mha::torch_layer_weights(generator, options.d_model), options.heads);
  Matrix<float> x = generator.normal(options.tokens, options.d_model);
  auto result = layer.forward(x);
  return {std::move(x), std::move(layer), std::move(result)};
}
// [run]

// [one head]
// One head from its own small matrices, in double precision, entry by entry.
// x: (T, d_model); w_q, w_k, w_v: (d_model, d_head); returns (T, d_head).
Matrix<double> one_head(const Matrix<double>& x, const Matrix<double>& w_q,
                        const Matrix<double>& w_k, const Matrix<double>& w_v) {
  const Matrix<double> q = x * w_q, k = x * w_k, v = x * w_v;
  Matrix<double> context = Matrix<double>::Zero(x.rows(), v.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    double total = 0;
    for (Index j = 0; j < x.rows(); ++j) {
      const double score =
          q.row(i).dot(k.row(j)) / std::sqrt(static_cast<double>(q.cols()));
      total += std::exp(score);
      context.row(i) += std::exp(score) * v.row(j);
    }
    context.row(i) /= total;
  }
  return context;
}
// [one head]

// [definition]
// Multi-head attention as the paper defines it: every head with matrices of
// its own, glued side by side, then mixed. x: (T, d_model).
Matrix<double> layer_by_definition(const Matrix<double>& x,
                                   const mha::LayerWeights<double>& w,
                                   Index n_heads) {
  const Index d_head = w.w_q.cols() / n_heads;
  Matrix<double> concat(x.rows(), w.w_q.cols());
  for (Index h = 0; h < n_heads; ++h) {
    const Matrix<double> w_q = mha::head_of(w.w_q, h, d_head);
    const Matrix<double> w_k = mha::head_of(w.w_k, h, d_head);
    const Matrix<double> w_v = mha::head_of(w.w_v, h, d_head);
    mha::head_of(concat, h, d_head) = one_head(x, w_q, w_k, w_v);
  }
  return concat * w.w_o;
}
// [definition]

// [token major]
// The sizes of a batch of split rows. Memory is one flat vector of floats.
struct Sizes {
  Index batch, tokens, heads, d_head;
};

// Where channel c of head h of token t of item b lies when tokens come first:
// (B, T, H, d_head), the layout a projection leaves behind.
Index at_token_major(const Sizes& s, Index b, Index t, Index h, Index c) {
  return ((b * s.tokens + t) * s.heads + h) * s.d_head + c;
}

// The same when heads come first: (B, H, T, d_head).
Index at_head_major(const Sizes& s, Index b, Index t, Index h, Index c) {
  return ((b * s.heads + h) * s.tokens + t) * s.d_head + c;
}
// [token major]

// [transpose]
// Copies (B, T, H, d_head) to (B, H, T, d_head), or back again.
enum class Direction { to_heads_first, to_tokens_first };

std::vector<float> transpose(const std::vector<float>& from, const Sizes& s,
                             Direction direction) {
  std::vector<float> to(from.size());
  for (Index b = 0; b < s.batch; ++b)
    for (Index t = 0; t < s.tokens; ++t)
      for (Index h = 0; h < s.heads; ++h)
        for (Index c = 0; c < s.d_head; ++c) {
          Index source = at_token_major(s, b, t, h, c);
          Index target = at_head_major(s, b, t, h, c);
          if (direction == Direction::to_tokens_first) {
            std::swap(source, target);
          }
          to[static_cast<std::size_t>(target)] =
              from[static_cast<std::size_t>(source)];
        }
  return to;
}
// [transpose]

// [slice first]
// The tempting mistake: cut x into slices and give each head its own slice.
// Head h then never sees the other columns of x.
Matrix<float> slice_then_project(const Matrix<float>& x,
                                 const mha::LayerWeights<float>& w,
                                 Index n_heads) {
  const Index d_head = x.cols() / n_heads;
  Matrix<float> q(x.rows(), x.cols());
  for (Index h = 0; h < n_heads; ++h) {
    mha::head_of(q, h, d_head) =
        mha::head_of(x, h, d_head) * w.w_q.block(0, 0, d_head, d_head);
  }
  return q;
}
// [slice first]

// [averages]
// The map that PyTorch returns by default: the mean over heads. (T, T)
Matrix<float> average_map(const std::vector<Matrix<float>>& weights) {
  Matrix<float> sum = Matrix<float>::Zero(weights[0].rows(), weights[0].cols());
  for (const Matrix<float>& map : weights) sum += map;
  return sum / static_cast<float>(weights.size());
}

double mean_abs_difference(const Matrix<float>& a, const Matrix<float>& b) {
  return (a - b).cast<double>().cwiseAbs().mean();
}

Index favourite(const Matrix<float>& map, Index token) {
  Index key = 0;
  map.row(token).maxCoeff(&key);
  return key;
}
// [averages]

// [agreement]
// How many tokens each head sends to the same favourite as the average map.
Index agreeing_tokens(const Matrix<float>& map, const Matrix<float>& average) {
  Index count = 0;
  for (Index t = 0; t < map.rows(); ++t) {
    if (favourite(map, t) == favourite(average, t)) ++count;
  }
  return count;
}
// [agreement]

// [count parameters]
Index parameter_count(const mha::LayerWeights<float>& w) {
  return w.w_q.size() + w.w_k.size() + w.w_v.size() + w.w_o.size() +
         w.b_q.size() + w.b_k.size() + w.b_v.size() + w.b_o.size();
}
// [count parameters]

// [print shapes]
void print_shapes(const Options& options, const Run& run) {
  const Index d_head = run.layer.d_head();
  mha::heading("The shapes");
  fmt::print("x            (1, {}, {})\n", options.tokens, options.d_model);
  fmt::print("q            (1, {}, {})\n", options.tokens, options.d_model);
  fmt::print("q, per head  (1, {}, {}, {})\n", options.heads, options.tokens,
             d_head);
  fmt::print("parameters   {}\n", parameter_count(run.layer.weights()));
}
// [print shapes]

// [print strides]
void print_strides(const Run& run) {
  const Matrix<float> q = run.x * run.layer.weights().w_q;
  mha::heading("The split copies nothing");
  fmt::print("q starts at float 0, a row is {} floats long\n", q.cols());
  for (Index h = 0; h < run.layer.n_heads(); ++h) {
    const auto head = mha::head_of(q, h, run.layer.d_head());
    fmt::print("head {} starts at float {}: {} x {}, next row {} floats on\n",
               h, head.data() - q.data(), head.rows(), head.cols(),
               head.outerStride());
  }
}
// [print strides]

// [print token 0]
void print_map_row(const std::string& name, const Matrix<float>& map,
                   Index token) {
  fmt::print("{:<8}", name);
  for (Index j = 0; j < map.cols(); ++j) fmt::print(" {:.3f}", map(token, j));
  fmt::print("   most: token {}\n", favourite(map, token));
}

void print_token_0(const Run& run) {
  mha::heading("Where token 0 looks");
  const auto& maps = run.result.weights;
  for (std::size_t h = 0; h < maps.size(); ++h) {
    print_map_row(fmt::format("head {}", h), maps[h], 0);
  }
  print_map_row("average", average_map(maps), 0);
}
// [print token 0]

// [print favourites]
void print_favourites(const Run& run) {
  mha::heading("Every token's favourite");
  fmt::print("token  ");
  const Index tokens = run.x.rows();
  for (Index t = 0; t < tokens; ++t) fmt::print(" {:2}", t);
  for (std::size_t h = 0; h < run.result.weights.size(); ++h) {
    fmt::print("\nhead {:<2}", h);
    for (Index t = 0; t < tokens; ++t) {
      fmt::print(" {:2}", favourite(run.result.weights[h], t));
    }
  }
  fmt::print("\n");
}
// [print favourites]

// [print differences]
void print_differences(const Run& run) {
  mha::heading("How far apart two heads' maps are");
  const auto& maps = run.result.weights;
  for (std::size_t a = 0; a < maps.size(); ++a) {
    for (std::size_t b = a + 1; b < maps.size(); ++b) {
      fmt::print("heads {} and {}: {:.3f}\n", a, b,
                 mean_abs_difference(maps[a], maps[b]));
    }
  }
}

void print_agreement(const Run& run) {
  mha::heading("What the average hides");
  const auto& maps = run.result.weights;
  const Matrix<float> average = average_map(maps);
  for (std::size_t h = 0; h < maps.size(); ++h) {
    fmt::print("head {} looks where the average looks for {} of {} tokens\n",
               h, agreeing_tokens(maps[h], average), average.rows());
  }
}
// [print differences]

// [print lines]
// How much of each 64-byte line of memory belongs to the head being read.
void print_lines() {
  mha::heading("What a head's row uses of a memory line");
  fmt::print("d_head   bytes a row   used of the lines it touches\n");
  for (const Index d_head : {2, 4, 8, 16, 32, 64, 128}) {
    const Index bytes = d_head * static_cast<Index>(sizeof(float));
    const Index lines = (bytes + 63) / 64;
    fmt::print("{:6} {:13} {:18.1f} %\n", d_head, bytes,
               100.0 * static_cast<double>(bytes) /
                   static_cast<double>(lines * 64));
  }
}
// [print lines]

// [print comparison]
void print_comparison(const Options& options, const Run& run) {
  mha::heading("Against PyTorch");
  const auto recorded = recorded_output(options);
  if (!recorded) {
    fmt::print("PyTorch's output was recorded for the default options only\n");
    return;
  }
  fmt::print("largest difference: {:.2e}\n",
             mha::max_abs_difference(run.result.output, *recorded));
}
// [print comparison]

// [demo]
void demo(const Options& options) {
  const Run run = run_layer(options);
  print_shapes(options, run);
  print_strides(run);
  print_token_0(run);
  print_favourites(run);
  print_differences(run);
  print_agreement(run);
  print_lines();
  print_comparison(options, run);
}
// [demo]

// [errors]
// How far the two float32 outputs are from each other, and each from the same
// layer in double precision.
void add_comparison(mha::Values& values, const Options& options,
                    const Run& run) {
  const auto recorded = recorded_output(options);
  if (!recorded) return;
  const Matrix<double> exact =
      mha::MultiHeadAttention<double>(run.layer.weights().cast<double>(),
                                      options.heads)
          .forward(run.x.cast<double>())
          .output;
  const double difference =
      mha::max_abs_difference(run.result.output, *recorded);
  values.add("max_difference", difference, "{:.2e}");
  values.add("difference_in_words", difference * 1e9,
             "{:.0f} billionths");
  values.add("difference_in_units", difference * 0x1p25, "{:.0f}");
  values.add("error_ours", mha::max_abs_difference(run.result.output, exact),
             "{:.1e}");
  values.add("error_pytorch", mha::max_abs_difference(*recorded, exact),
             "{:.1e}");
}
// [errors]

// [values]
mha::Values values(const Options& options) {
  const Run run = run_layer(options);
  const auto& maps = run.result.weights;
  const Matrix<float> average = average_map(maps);
  mha::Values values;
  const auto count = [&](const std::string& name, Index n) {
    values.add(name, static_cast<double>(n), "{:.0f}");
  };
  count("parameters", parameter_count(run.layer.weights()));
  for (std::size_t h = 0; h < maps.size(); ++h) {
    const Index key = favourite(maps[h], 0);
    count(fmt::format("head{}_favourite", h), key);
    values.add(fmt::format("head{}_largest", h), maps[h](0, key), "{:.3f}");
    count(fmt::format("head{}_agrees", h), agreeing_tokens(maps[h], average));
    values.add(fmt::format("head{}_at_average", h),
               maps[h](0, favourite(average, 0)), "{:.3f}");
    for (std::size_t b = h + 1; b < maps.size(); ++b) {
      values.add(fmt::format("difference_{}_{}", h, b),
                 mean_abs_difference(maps[h], maps[b]), "{:.3f}");
    }
  }
  // [values]
  // [more values]
  count("average_favourite", favourite(average, 0));
  values.add("average_largest", average(0, favourite(average, 0)), "{:.3f}");
  values.add("average_spread", average.row(0).maxCoeff() -
                                   average.row(0).minCoeff(), "{:.3f}");
  count("row_stride", run.layer.weights().w_q.cols());
  count("last_head_start",
        (run.layer.n_heads() - 1) * run.layer.d_head());
  // Exercise 2.1: token 2 of head 3 in the two layouts.
  const Sizes s = {.batch = 1, .tokens = 6, .heads = 4, .d_head = 2};
  count("piece_tokens_first", at_token_major(s, 0, 2, 3, 0));
  count("piece_heads_first", at_head_major(s, 0, 2, 3, 0));
  add_comparison(values, options, run);
  return values;
}
// [more values]

// [maps figure]
std::string draw_maps(const Options& options) {
  const Run run = run_layer(options);
  std::vector<std::string> names;
  for (Index t = 0; t < options.tokens; ++t) {
    names.push_back(fmt::format("t{}", t));
  }
  std::vector<mha::HeatMap> maps;
  std::string favourites;
  for (std::size_t h = 0; h < run.result.weights.size(); ++h) {
    const Matrix<float>& map = run.result.weights[h];
    maps.push_back({fmt::format("head {}", h), map, names, names});
    favourites += fmt::format(" head {} to token {},", h, favourite(map, 0));
  }
  const Matrix<float> average = average_map(run.result.weights);
  maps.push_back({"average of the heads", average, names, names});
  return mha::draw_heat_maps(
      "Every head's map, and their average",
      fmt::format("One table of weights a head, and one for the average. From "
                  "token 0,{} the average to token {}.",
                  favourites, favourite(average, 0)),
      maps);
}
// [maps figure]

// [row figure]
// The same maps without numbers, in one row: the book's first picture.
std::string draw_row(const Options& options) {
  const Run run = run_layer(options);
  std::vector<Matrix<float>> maps = run.result.weights;
  maps.push_back(average_map(maps));
  float largest = 0;
  for (const auto& map : maps) largest = std::max(largest, map.maxCoeff());
  mha::Svg svg("The maps of every head, and their average",
               "Squares of cells, a row for a word that asks and a column for "
               "a word that is looked at. The heads have dark cells in "
               "different places; the average is pale throughout.");
  constexpr double cell = 20;
  const double size = cell * static_cast<double>(options.tokens);
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const std::string name = m + 1 == maps.size() ? "their average"
                                                  : fmt::format("head {}", m);
    const double left = static_cast<double>(m) * (size + 32);
    for (Index i = 0; i < options.tokens; ++i) {
      for (Index j = 0; j < options.tokens; ++j) {
        svg.rectangle(
            left + cell * static_cast<double>(j), cell * static_cast<double>(i),
            cell - 1, cell - 1,
            fmt::format("fill='var(--heat,#2563a8)' fill-opacity='{:.2f}'",
                        maps[m](i, j) / largest),
            fmt::format("{}: word {} looks at word {} with {:.2f}", name, i, j,
                        maps[m](i, j)));
      }
    }
    svg.text(left + size / 2, size + 20, name, "middle", "font-size='14'");
  }
  const double count = static_cast<double>(maps.size());
  return svg.finish(count * size + (count - 1) * 32, size + 28);
}
// [row figure]

// [strip]
// One strip of memory: cell n shows which head and token its float belongs to.
void draw_strip(mha::Svg& svg, double top, const std::string& title,
                const Sizes& s, bool heads_first) {
  svg.text(0, top, title, "", "font-weight='600'");
  for (Index h = 0; h < s.heads; ++h)
    for (Index t = 0; t < s.tokens; ++t)
      for (Index c = 0; c < s.d_head; ++c) {
        const Index at = heads_first ? at_head_major(s, 0, t, h, c)
                                     : at_token_major(s, 0, t, h, c);
        const double x = 26 * static_cast<double>(at);
        const bool chosen = h == 1;
        svg.rectangle(x, top + 10, 24, 24,
                      fmt::format("fill='var({})' fill-opacity='{}'",
                                  chosen ? "--mark,#b4540a" : "--heat,#2563a8",
                                  chosen ? "0.85" : "0.18"),
                      fmt::format("head {}, token {}, channel {}", h, t, c));
        svg.text(x + 12, top + 26, fmt::format("t{}", t), "middle",
                 chosen ? "font-size='11' fill='var(--paper,#fff)'"
                        : "font-size='11'");
      }
}
// [strip]

// [walk figure]
std::string draw_walk() {
  const Sizes s = {.batch = 1, .tokens = 3, .heads = 4, .d_head = 2};
  mha::Svg svg(
      "Where one head lies in memory",
      "Two strips of 24 floats, for 3 tokens, 4 heads and 2 channels a head. "
      "Tokens first: head 1 lies at floats 2 and 3 of each token's 8, three "
      "separate pieces. Heads first: head 1 lies in one piece, floats 6 to "
      "11.");
  draw_strip(svg, 14, "tokens first (T, H, d_head): what the projection leaves",
             s, false);
  draw_strip(svg, 78, "heads first (H, T, d_head): after the transpose", s,
             true);
  svg.text(0, 134, "Filled: the floats of head 1. Each cell names its token.",
           "", "fill='var(--quiet,#666)'");
  return svg.finish(26 * 24, 142);
}
// [walk figure]

}  // namespace

TEST_CASE("the layer equals the definition, head by head") {
  mha::TorchGenerator generator(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Index n_heads = 1 + generator.integer(5);
    const Index d_model = n_heads * (1 + generator.integer(7));
    const Index tokens = 1 + generator.integer(9);
    const auto w = mha::torch_layer_weights(generator, d_model).cast<double>();
    const Matrix<double> x = generator.normal(tokens, d_model).cast<double>();
    const mha::MultiHeadAttention<double> layer(w, n_heads);
    // Double precision, sums of at most 35 numbers of size about 1.
    CHECK(mha::max_abs_difference(layer.forward(x).output,
                                  layer_by_definition(x, w, n_heads)) <= 1e-13);
  }
}

TEST_CASE("the reference layer gives what PyTorch gave") {
  const Options options;
  const Run run = run_layer(options);
  // The output stays below 1/2 and is a sum of 8 products in an order that
  // PyTorch chooses: up to 8 roundings of 2^-26 each.
  CHECK(mha::max_abs_difference(run.result.output, *recorded_output(options)) <=
        8 * 0x1p-26);
}

TEST_CASE("float32 stays close to double precision") {
  const Run run = run_layer({});
  const mha::MultiHeadAttention<double> exact(
      run.layer.weights().cast<double>(), 4);
  const Matrix<double> x = run.x.cast<double>();
  CHECK(mha::max_abs_difference(run.result.output, exact.forward(x).output) <=
        8 * 0x1p-25);
}

TEST_CASE("splitting into heads copies nothing") {
  Matrix<float> q = Matrix<float>::Zero(6, 8);
  const auto head = mha::head_of(q, 1, 2);
  CHECK(head.data() == q.data() + 2);
  CHECK(head.outerStride() == 8);
  mha::head_of(q, 1, 2).setConstant(5);
  CHECK(q(3, 2) == 5);
  CHECK(q(3, 3) == 5);
  CHECK(q.sum() == 5 * 6 * 2);
}

TEST_CASE("token 0 of the merge holds the first row of every head") {
  // Two heads of two tokens and two channels, filled head by head: 0 to 7.
  const Sizes s = {.batch = 1, .tokens = 2, .heads = 2, .d_head = 2};
  std::vector<float> heads_first(8);
  std::iota(heads_first.begin(), heads_first.end(), 0.0F);
  const auto merged = transpose(heads_first, s, Direction::to_tokens_first);
  CHECK(merged == std::vector<float>{0, 1, 4, 5, 2, 3, 6, 7});
}

TEST_CASE("transposing to heads first and back changes nothing") {
  mha::TorchGenerator generator(3);
  const Sizes s = {.batch = 2, .tokens = 5, .heads = 3, .d_head = 4};
  const Matrix<float> rows = generator.normal(10, 12);
  const std::vector<float> flat(rows.data(), rows.data() + rows.size());
  const auto there = transpose(flat, s, Direction::to_heads_first);
  CHECK(transpose(there, s, Direction::to_tokens_first) == flat);
  CHECK(there != flat);
  // Item 1, head 2, read from the copy and through the view.
  const Eigen::Map<const Matrix<float>> copy(
      there.data() + at_head_major(s, 1, 0, 2, 0), 5, 4);
  const Matrix<float> item = rows.bottomRows(5);
  CHECK(copy == mha::head_of(item, 2, 4));
}

TEST_CASE("each head sees all of x") {
  const Run run = run_layer({});
  Matrix<float> x = run.x;
  x.col(7).array() += 1;
  const auto changed = run.layer.forward(x);
  for (Index h = 0; h < 4; ++h) {
    CHECK(mha::max_abs_difference(mha::head_of(changed.heads, h, 2),
                                  mha::head_of(run.result.heads, h, 2)) > 1e-3);
  }
}

TEST_CASE("slicing x before projecting hides the rest of x from a head") {
  const Run run = run_layer({});
  Matrix<float> x = run.x;
  x.col(7).array() += 1;
  const auto& w = run.layer.weights();
  CHECK(mha::head_of(slice_then_project(x, w, 4), 0, 2) ==
        mha::head_of(slice_then_project(run.x, w, 4), 0, 2));
}

TEST_CASE("items of a batch do not see each other") {
  mha::TorchGenerator generator(4);
  const mha::MultiHeadAttention<float> layer(
      mha::torch_layer_weights(generator, 12), 3);
  Matrix<float> batch = generator.normal(2 * 5, 12);  // (B T, d_model)
  const Matrix<float> item_0 = batch.topRows(5);
  const Matrix<float> before = layer.forward(item_0).output;
  batch.bottomRows(5).setConstant(std::nanf(""));
  const Matrix<float> again = batch.topRows(5);
  CHECK(layer.forward(again).output == before);
  // Read as one sequence of ten tokens, item 0 is lost.
  CHECK(layer.forward(batch).output.topRows(5).array().isNaN().all());
}

TEST_CASE("two opposite heads leave an average that says nothing") {
  Matrix<float> left(1, 2), right(1, 2), half(1, 2);
  left << 1, 0;
  right << 0, 1;
  half << 0.5, 0.5;
  CHECK(average_map({left, right}) == half);
}

TEST_CASE("the weights of every head sum to 1 in every row") {
  const Run run = run_layer({.d_model = 24, .heads = 6, .tokens = 11});
  for (const Matrix<float>& map : run.result.weights) {
    for (Index i = 0; i < 11; ++i) {
      CHECK(std::abs(map.row(i).sum() - 1) <= 11 * 0x1p-24F);
    }
  }
}

TEST_CASE("a head count that does not divide the width is refused") {
  mha::TorchGenerator generator(0);
  for (const auto& [d_model, n_heads] :
       {std::pair<Index, Index>{128, 3}, {64, 12}, {32, 6}, {8, 16}}) {
    const auto w = mha::torch_layer_weights(generator, d_model);
    CHECK_THROWS_WITH_AS(
        mha::MultiHeadAttention<float>(w, n_heads),
        fmt::format("n_heads = {} does not divide the width {}; choose a "
                    "divisor of {}", n_heads, d_model, d_model).c_str(),
        std::invalid_argument);
  }
}

// [main]
int main(int argc, char** argv) {
  Options options;
  const mha::Chapter chapter = {
      .name = "head_split",
      .about = "A whole multi-head attention layer, compared with PyTorch.",
      .options = {{"--d-model", &options.d_model, "width of a token", 1, 1024},
                  {"--heads", &options.heads, "number of heads", 1, 128},
                  {"--tokens", &options.tokens, "number of tokens", 1, 64},
                  {"--seed", &options.seed, "of the generator", 0, 0xFFFFFFFF}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"maps", [&] { return draw_maps(options); }},
                  {"row", [&] { return draw_row(options); }},
                  {"walk", draw_walk}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
