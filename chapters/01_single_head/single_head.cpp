// Chapter 1: what one attention search computes, and where one search fails.
#include "mha/attention.hpp"
#include "mha/generator.hpp"
#include "mha/layer.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"
#include "mha/svg.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

// [short names]
using mha::Index;
using mha::Matrix;
constexpr float inf = std::numeric_limits<float>::infinity();
// [short names]

// [options]
struct Options {
  Index d_model = 8;
  Index tokens = 6;
  Index seed = 0;
  bool causal = false;
};
// [options]

// [plain]
// One search, as the formula has it: softmax(q k^T / sqrt(d_head)) v.
// q, k: (T, d_head); v: (T, d_v); returns (T, d_v).
Matrix<float> plain_attention(const Matrix<float>& q, const Matrix<float>& k,
                              const Matrix<float>& v) {
  const float scale = 1 / std::sqrt(static_cast<float>(q.cols()));
  const Matrix<float> scores = scale * q * k.transpose();
  Matrix<float> weights = scores.array().exp();
  for (Index i = 0; i < weights.rows(); ++i) {
    weights.row(i) /= weights.row(i).sum();
  }
  return weights * v;
}
// [plain]

// [head]
// One head as wide as the model, with the numbers PyTorch would draw.
struct Head {
  Matrix<float> x;        // (T, d_model)
  Matrix<float> q, k, v;  // (T, d_model)
  mha::AttentionResult<float> result;
};

Head make_head(const Options& options) {
  mha::TorchGenerator generator(static_cast<std::uint32_t>(options.seed));
  const mha::LayerWeights<float> w =
      mha::torch_layer_weights(generator, options.d_model);
  Head head;
  head.x = generator.normal(options.tokens, options.d_model);
  head.q = head.x * w.w_q;
  head.k = head.x * w.w_k;
  head.v = head.x * w.w_v;
  const mha::Causal causal =
      options.causal ? mha::Causal::top_left : mha::Causal::none;
  head.result = mha::attention(head.q, head.k, head.v, {.causal = causal});
  return head;
}
// [head]

// [chase]
// The verb of "the dog chased the cat" asks who and whom. A key says which
// slot a word stands in, a value says which animal it is.
const std::vector<std::string> words_of_chase = {"the", "first", "chased",
                                                 "the", "second"};

struct Chase {
  Matrix<float> k;  // (5, 2): column 0 marks "who", column 1 marks "whom"
  Matrix<float> v;  // (5, 2): column 0 is "dog", column 1 is "cat"
};

Chase make_chase(bool dog_is_first) {
  Chase chase{Matrix<float>::Zero(5, 2), Matrix<float>::Zero(5, 2)};
  chase.k(1, 0) = 1;
  chase.k(4, 1) = 1;
  chase.v(1, dog_is_first ? 0 : 1) = 1;
  chase.v(4, dog_is_first ? 1 : 0) = 1;
  return chase;
}
// [chase]

// [search]
// What the verb reads when it asks for "who", for "whom", or for both at once.
mha::AttentionResult<float> search(const Chase& chase, bool who, bool whom) {
  constexpr float keenness = 12;
  Matrix<float> q(1, 2);
  q << (who ? keenness : 0), (whom ? keenness : 0);
  return mha::attention(q, chase.k, chase.v);
}
// [search]

// [collide]
// Two sources read with weights w1 and w2 leave one sum. Move one source along
// u and the other against it, and the sum stays: what was read has changed,
// what arrives has not.
struct Pair {
  Matrix<double> v1, v2;  // (1, d_v) each
};

Matrix<double> blend(const Pair& pair, double w1, double w2) {
  return w1 * pair.v1 + w2 * pair.v2;
}

Pair collide(const Pair& pair, double w1, double w2, const Matrix<double>& u) {
  return {pair.v1 + w2 * u, pair.v2 - w1 * u};
}
// [collide]

// [sharpness]
// Mean entropy (bits) of the weights of 64 random queries over 64 random keys.
// Large: the weights are spread out. Near 0: one key takes everything.
double mean_entropy(Index d_head, bool scaled, std::uint32_t seed) {
  constexpr Index tokens = 64;
  mha::TorchGenerator generator(seed);
  const Matrix<float> q = generator.normal(tokens, d_head);
  const Matrix<float> k = generator.normal(tokens, d_head);
  mha::AttentionOptions options;
  if (!scaled) options.scale = 1;
  const auto result = mha::attention(q, k, k, options);
  double total = 0;
  for (Index i = 0; i < tokens; ++i) {
    total += mha::entropy_bits(result.weights.row(i));
  }
  return total / tokens;
}
// [sharpness]

// [print rows]
void print_row(const std::string& name, const Matrix<float>& row) {
  fmt::print("{:<10}", name);
  for (Index j = 0; j < row.cols(); ++j) fmt::print(" {:6.3f}", row(0, j));
  fmt::print("\n");
}

std::vector<std::string> token_names(Index tokens) {
  std::vector<std::string> names;
  for (Index t = 0; t < tokens; ++t) names.push_back(fmt::format("t{}", t));
  return names;
}
// [print rows]

// [print shapes]
void print_shapes(const Head& head) {
  const auto print = [](const char* name, const Matrix<float>& m,
                        const char* what) {
    fmt::print("{:<8} {:>3} x {:<3}  {}\n", name, m.rows(), m.cols(), what);
  };
  mha::heading("The shapes");
  print("x", head.x, "one row a token");
  print("q", head.q, "what each token asks for");
  print("k", head.k, "what each token can be found by");
  print("v", head.v, "what each token hands over when found");
  print("scores", head.result.scores, "every query against every key");
  print("weights", head.result.weights, "each row shares out 1");
  print("context", head.result.context, "what each token read");
}
// [print shapes]

// [print first row]
void print_first_row(const Head& head) {
  mha::heading("Token 0, step by step");
  print_row("scores", head.result.scores.row(0));
  print_row("weights", head.result.weights.row(0));
  fmt::print("{:<10} {:6.3f}\n", "their sum", head.result.weights.row(0).sum());
}

void print_weights(const Head& head) {
  mha::heading("All the weights");
  for (Index i = 0; i < head.result.weights.rows(); ++i) {
    print_row(fmt::format("token {}", i), head.result.weights.row(i));
  }
}
// [print first row]

// [print chase]
void print_chase() {
  mha::heading("One search or two");
  fmt::print("what \"chased\" reads        dog    cat\n");
  for (const bool dog_is_first : {true, false}) {
    const Chase chase = make_chase(dog_is_first);
    fmt::print("{}\n", dog_is_first ? "the dog chased the cat"
                                    : "the cat chased the dog");
    print_row("  one head, both ", search(chase, true, true).context);
    print_row("  head 0, who    ", search(chase, true, false).context);
    print_row("  head 1, whom   ", search(chase, false, true).context);
  }
}
// [print chase]

// [print entropy]
constexpr std::array<Index, 8> widths = {4, 8, 16, 32, 64, 128, 256, 512};

void print_entropy() {
  mha::heading("With and without the scale");
  fmt::print("d_head   bits, scaled   bits, not scaled\n");
  for (const Index d_head : widths) {
    fmt::print("{:6} {:14.2f} {:18.2f}\n", d_head,
               mean_entropy(d_head, true, 0), mean_entropy(d_head, false, 0));
  }
}
// [print entropy]

// [demo]
void demo(const Options& options) {
  const Head head = make_head(options);
  print_shapes(head);
  print_first_row(head);
  print_weights(head);
  print_chase();
  print_entropy();
}
// [demo]

// [two scores]
// The second weight of a row with scores 1000 and 1001.
double weight_of_larger(float smaller, float larger) {
  Matrix<float> scores(1, 2);
  scores << smaller, larger;
  const mha::BoolMatrix both = mha::BoolMatrix::Constant(1, 2, true);
  return mha::masked_softmax(scores, both)(0, 1);
}

// Scores 999, 1000 and 1001, the last key hidden: the weight of the second.
double weight_beside_hidden() {
  Matrix<float> scores(1, 3);
  scores << 999, 1000, 1001;
  mha::BoolMatrix visible(1, 3);
  visible << true, true, false;
  return mha::masked_softmax(scores, visible)(0, 1);
}
// [two scores]

// [values]
mha::Values values(const Options& options) {
  const Head head = make_head(options);
  const auto& weights = head.result.weights;
  mha::Values values;
  Index favourite = 0;
  values.add("token0_largest", weights.row(0).maxCoeff(&favourite), "{:.3f}");
  values.add("token0_favourite", static_cast<double>(favourite), "{:.0f}");
  values.add("token0_smallest", weights.row(0).minCoeff(), "{:.3f}");
  values.add("token0_bits", mha::entropy_bits(weights.row(0)), "{:.2f}");
  values.add("most_bits", std::log2(static_cast<double>(weights.cols())),
             "{:.2f}");
  values.add("chase_share", search(make_chase(true), true, true).weights(0, 1),
             "{:.3f}");
  values.add("chase_found", search(make_chase(true), true, false).weights(0, 1),
             "{:.3f}");
  values.add("bits_scaled_4", mean_entropy(4, true, 0), "{:.2f}");
  values.add("bits_scaled_512", mean_entropy(512, true, 0), "{:.2f}");
  values.add("bits_unscaled_4", mean_entropy(4, false, 0), "{:.2f}");
  values.add("bits_unscaled_512", mean_entropy(512, false, 0), "{:.2f}");
  values.add("weight_of_1001", weight_of_larger(1000, 1001), "{:.3f}");
  values.add("weight_of_1", weight_of_larger(0, 1), "{:.3f}");
  values.add("weight_beside_hidden", weight_beside_hidden(), "{:.3f}");
  return values;
}
// [values]

// [weights figure]
std::string draw_weights(const Options& options) {
  const Head head = make_head(options);
  const auto names = token_names(options.tokens);
  Index favourite = 0;
  const float largest = head.result.weights.row(0).maxCoeff(&favourite);
  return mha::draw_heat_maps(
      "Which token looks at which",
      fmt::format("A table of {0} rows and {0} columns. Row i holds the "
                  "weights of token i over all tokens; each row sums to 1. "
                  "Token 0 gives most, {1:.3f}, to token {2}.",
                  options.tokens, largest, favourite),
      {{"row looks at column", head.result.weights, names, names}});
}
// [weights figure]

// [chase figure]
std::string draw_chase() {
  const Chase chase = make_chase(true);
  Matrix<float> rows(3, 5);
  rows << search(chase, true, true).weights, search(chase, true, false).weights,
      search(chase, false, true).weights;
  return mha::draw_heat_maps(
      "One search or two",
      fmt::format("Weights of the verb over five words. One head gives {:.2f} "
                  "to the first animal and as much to the second. Of two "
                  "heads, one gives {:.2f} to the first and the other as much "
                  "to the second.",
                  rows(0, 1), rows(1, 1)),
      {{"where \"chased\" looks", rows, {"one head", "head 0", "head 1"},
        {"the", "1st", "verb", "the", "2nd"}}});
}
// [chase figure]

// [entropy figure]
std::string draw_entropy() {
  mha::LineChart chart;
  chart.title = "Without the scale, wide heads stare";
  chart.x_label = "d_head";
  chart.y_label = "entropy of a row of weights, bits (64 keys: at most 6)";
  chart.highest = 6;
  mha::Series scaled{"scaled", {}};
  mha::Series unscaled{"not scaled", {}};
  for (const Index d_head : widths) {
    chart.x.push_back(fmt::format("{}", d_head));
    scaled.y.push_back(mean_entropy(d_head, true, 0));
    unscaled.y.push_back(mean_entropy(d_head, false, 0));
  }
  chart.description = fmt::format(
      "Two lines over the width of a head, from 4 to 512. With the scale the "
      "entropy stays between {:.1f} and {:.1f} bits. Without it, it falls from "
      "{:.1f} to {:.1f} bits.",
      *std::min_element(scaled.y.begin(), scaled.y.end()),
      *std::max_element(scaled.y.begin(), scaled.y.end()),
      unscaled.y.front(), unscaled.y.back());
  chart.series = {scaled, unscaled};
  return mha::draw_line_chart(chart);
}
// [entropy figure]

// [picture]
// A table of 0 and 1: which keys each query may see.
std::string visible_picture(const mha::AttentionOptions& options, Index t_q,
                            Index t_k) {
  const mha::BoolMatrix visible = mha::visible_keys(options, t_q, t_k);
  std::string picture;
  for (Index i = 0; i < t_q; ++i) {
    for (Index j = 0; j < t_k; ++j) picture += visible(i, j) ? '1' : '0';
    if (i + 1 < t_q) picture += '/';
  }
  return picture;
}
// [picture]

}  // namespace

TEST_CASE("a row of weights is never negative and sums to 1") {
  for (Index seed = 0; seed < 20; ++seed) {
    const Head head = make_head({.d_model = 16, .tokens = 7, .seed = seed});
    CHECK(head.result.weights.minCoeff() >= 0);
    for (Index i = 0; i < 7; ++i) {
      // Seven roundings of numbers below 1, at most 2^-24 each.
      CHECK(std::abs(head.result.weights.row(i).sum() - 1) <= 7 * 0x1p-24F);
    }
  }
}

TEST_CASE("adding a constant to a row of scores changes nothing") {
  const Head head = make_head({});
  const mha::BoolMatrix all = mha::BoolMatrix::Constant(6, 6, true);
  const Matrix<double> scores = head.result.scores.cast<double>();
  const Matrix<double> shifted = scores.array() + 100.0;
  // 100 + score is rounded to 2^-46; so are the exponents, hence the weights.
  CHECK(mha::max_abs_difference(mha::masked_softmax(shifted, all),
                                mha::masked_softmax(scores, all)) <= 0x1p-45);
}

TEST_CASE("reordering the tokens reorders the output and does nothing else") {
  const Head head = make_head({});
  Eigen::PermutationMatrix<Eigen::Dynamic> order(6);
  order.indices() << 3, 0, 5, 1, 4, 2;
  const Matrix<float> q = order * head.q, k = order * head.k,
                      v = order * head.v;
  const Matrix<float> expected = order * head.result.context;
  // Only the order of the sums differs: six terms below 4, 2^-22 each.
  CHECK(mha::max_abs_difference(mha::attention(q, k, v).context, expected) <=
        6 * 0x1p-22);
}

TEST_CASE("a causal row does not depend, bit for bit, on later tokens") {
  const Head head = make_head({.tokens = 9, .causal = true});
  for (Index t = 0; t + 1 < 9; ++t) {
    Matrix<float> k = head.k, v = head.v;
    k.bottomRows(8 - t).setConstant(1e30F);
    v.bottomRows(8 - t).setConstant(-1e30F);
    const auto changed =
        mha::attention(head.q, k, v, {.causal = mha::Causal::top_left});
    CHECK(changed.context.topRows(t + 1) ==
          head.result.context.topRows(t + 1));
    CHECK(changed.context.row(8) != head.result.context.row(8));
  }
}

TEST_CASE("scores of ten thousand do not overflow") {
  Matrix<float> q(1, 1), k(2, 1), v(2, 1);
  q << 10000;
  k << 1, 1.0001F;  // scores 10000 and 10001
  v << 0, 1;
  CHECK(mha::attention(q, k, v).context(0, 0) ==
        doctest::Approx(0.731059).epsilon(1e-3));  // 1.0001F is 6e-8 off
  CHECK(std::isnan(plain_attention(q, k, v)(0, 0)));
}

TEST_CASE("the plain version agrees with the full one, nothing hidden") {
  for (Index seed = 0; seed < 20; ++seed) {
    const Head head = make_head({.d_model = 12, .tokens = 5, .seed = seed});
    // Five terms below 4, each with a few roundings of 2^-24 of its size.
    CHECK(mha::max_abs_difference(plain_attention(head.q, head.k, head.v),
                                  head.result.context) <= 1e-5);
  }
}

TEST_CASE("a row that may see no key gives zeros, not NaN") {
  const Head head = make_head({});
  mha::BoolMatrix table = mha::BoolMatrix::Constant(6, 6, true);
  table.row(1).setConstant(false);
  const auto masked =
      mha::attention(head.q, head.k, head.v,
                     {.pairs = mha::AttendMask::where_true_attends(table)});
  CHECK(masked.weights.row(1).isZero(0));
  CHECK(masked.context.row(1).isZero(0));
  CHECK(masked.context.row(0) == head.result.context.row(0));
}

TEST_CASE("a NaN in a masked key or value does not leak") {
  Head head = make_head({});
  mha::BoolMatrix padding = mha::BoolMatrix::Constant(1, 6, false);
  padding(0, 5) = true;
  const mha::AttentionOptions options = {
      .keys = mha::AttendMask::where_true_is_masked(padding)};
  const auto clean = mha::attention(head.q, head.k, head.v, options);
  head.k.row(5).setConstant(std::nanf(""));
  head.v.row(5).setConstant(std::nanf(""));
  CHECK(mha::attention(head.q, head.k, head.v, options).context ==
        clean.context);
}

TEST_CASE("a NaN that may be seen stays NaN") {
  Head head = make_head({});
  head.k.setConstant(std::nanf(""));
  CHECK(mha::attention(head.q, head.k, head.v).weights.array().isNaN().all());
}

TEST_CASE("without the scale the weights sharpen as the width grows") {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const double loss_scaled =
        mean_entropy(4, true, seed) - mean_entropy(512, true, seed);
    const double loss_unscaled =
        mean_entropy(4, false, seed) - mean_entropy(512, false, seed);
    CHECK(std::abs(loss_scaled) < 0.5);
    CHECK(loss_unscaled > 2);
    CHECK(mean_entropy(512, false, seed) < mean_entropy(64, false, seed));
    CHECK(mean_entropy(64, false, seed) < mean_entropy(8, false, seed));
  }
}

TEST_CASE("one head cannot tell who chased whom, two heads can") {
  const Chase dog_first = make_chase(true);
  const Chase cat_first = make_chase(false);
  CHECK(search(dog_first, true, true).context ==
        search(cat_first, true, true).context);
  CHECK(search(dog_first, true, false).context !=
        search(cat_first, true, false).context);
  CHECK(search(dog_first, false, true).context !=
        search(cat_first, false, true).context);
}

TEST_CASE("for any two weights there are two readings with one sum") {
  mha::TorchGenerator generator(1);
  for (int trial = 0; trial < 100; ++trial) {
    const double w1 = generator.uniform(1, 1, 0, 1)(0, 0);
    const double w2 = 1 - w1;
    const Pair pair{generator.normal(1, 8).cast<double>(),
                    generator.normal(1, 8).cast<double>()};
    const Matrix<double> u = generator.normal(1, 8).cast<double>();
    const Pair other = collide(pair, w1, w2, u);
    CHECK(mha::max_abs_difference(other.v1, pair.v1) > 0);
    // Two products and a sum of numbers below 8: a few times 2^-50.
    CHECK(mha::max_abs_difference(blend(other, w1, w2), blend(pair, w1, w2)) <=
          0x1p-48);
  }
}

TEST_CASE("the two causal corners differ when the lengths differ") {
  const mha::AttentionOptions top = {.causal = mha::Causal::top_left};
  const mha::AttentionOptions bottom = {.causal = mha::Causal::bottom_right};
  CHECK(visible_picture(top, 3, 3) == "100/110/111");
  CHECK(visible_picture(bottom, 3, 3) == "100/110/111");
  CHECK(visible_picture(top, 1, 4) == "1000");
  CHECK(visible_picture(bottom, 1, 4) == "1111");
  CHECK(visible_picture(top, 2, 5) == "10000/11000");
  CHECK(visible_picture(bottom, 2, 5) == "11110/11111");
  CHECK(visible_picture(bottom, 4, 2) == "00/00/10/11");
}

TEST_CASE("padding first and causal together leave the first row empty") {
  const Head head = make_head({.tokens = 3});
  mha::BoolMatrix padding(1, 3);
  padding << true, false, false;
  const mha::AttentionOptions options = {
      .causal = mha::Causal::top_left,
      .keys = mha::AttendMask::where_true_is_masked(padding)};
  CHECK(visible_picture(options, 3, 3) == "000/010/011");
  const auto result = mha::attention(head.q, head.k, head.v, options);
  CHECK(result.context.row(0).isZero(0));
}

TEST_CASE("a bias of minus infinity hides, a bias of 1 does not") {
  const Head head = make_head({.tokens = 2});
  Matrix<double> hides = Matrix<double>::Zero(2, 2);
  hides(0, 1) = -inf;
  const auto hidden = mha::attention(head.q, head.k, head.v, {.bias = hides});
  CHECK(hidden.weights(0, 1) == 0);
  Matrix<double> triangle(2, 2);  // a table of 1 and 0, used as if it masked
  triangle << 1, 0, 1, 1;
  const auto seen = mha::attention(head.q, head.k, head.v, {.bias = triangle});
  CHECK(seen.weights(0, 1) > 0);
}

TEST_CASE("sizes that do not fit are refused with both numbers") {
  const Matrix<float> a = Matrix<float>::Zero(2, 3);
  const Matrix<float> b = Matrix<float>::Zero(2, 4);
  const Matrix<float> c = Matrix<float>::Zero(5, 3);
  CHECK_THROWS_WITH_AS(mha::attention(a, b, b),
                       "queries have 3 columns, but keys have 4",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(mha::attention(a, a, c),
                       "there are 2 keys, but 5 values",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      mha::attention(a, c, c,
                     {.keys = mha::AttendMask::where_true_attends(
                          mha::BoolMatrix::Constant(1, 4, true))}),
      "mask of keys is 1 x 4, but must be 1 x 5, one entry a key",
      std::invalid_argument);
}

// [main]
int main(int argc, char** argv) {
  Options options;
  const mha::Chapter chapter = {
      .name = "single_head",
      .about = "One attention head, from queries to context.",
      .options = {{"--d-model", &options.d_model, "width of a token"},
                  {"--tokens", &options.tokens, "number of tokens", 1, 64},
                  {"--seed", &options.seed, "of the generator", 0, 0xFFFFFFFF},
                  {"--causal", &options.causal, "hide later tokens"}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"weights", [&] { return draw_weights(options); }},
                  {"chase", draw_chase},
                  {"entropy", draw_entropy}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
