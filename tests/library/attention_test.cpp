// The attention of one head: known numbers, edges, and what must not matter.
#include "mha/attention.hpp"
#include "mha/generator.hpp"
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using mha::AttendMask;
using mha::AttentionOptions;
using mha::BoolMatrix;
using mha::Causal;
using mha::Index;
using mha::Matrix;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Three tokens, two heads of four columns: T, n_heads and d_head all differ.
// Each value row of a head is t plus steps of 1/8, and so is each output row.
struct Fixture {
  Matrix<double> q{3, 8}, k{3, 8}, v{3, 8};

  Fixture() {
    for (Index t = 0; t < 3; ++t) {
      for (Index c = 0; c < 8; ++c) {
        q(t, c) = static_cast<double>((3 * t + 2 * c) % 7 - 3) / 2;
        k(t, c) = static_cast<double>((5 * t + 3 * c + 1) % 7 - 3) / 2;
        v(t, c) = static_cast<double>(t) + static_cast<double>(c) / 8;
      }
    }
  }

  // (3, 2): columns 0 and 4 of the output, the first of each head.
  Matrix<double> first_columns(const AttentionOptions& options) const {
    Matrix<double> result(3, 2);
    for (Index h = 0; h < 2; ++h) {
      const Matrix<double> context =
          mha::attention(q.middleCols(4 * h, 4), k.middleCols(4 * h, 4),
                         v.middleCols(4 * h, 4), options)
              .context;
      result.col(h) = context.col(0);
      for (Index c = 1; c < 4; ++c) {
        CHECK(mha::max_abs_difference(
                  context.col(c), context.col(0).array().matrix() +
                                      Matrix<double>::Constant(
                                          3, 1, static_cast<double>(c) / 8)) <=
              1e-14);
      }
    }
    return result;
  }
};

Matrix<double> rows_of_two(std::initializer_list<double> entries) {
  Matrix<double> m(static_cast<Index>(entries.size()) / 2, 2);
  std::copy(entries.begin(), entries.end(), m.data());
  return m;
}

struct Input {
  Matrix<double> q, k, v;
};

Input draw(Index t_q, Index t_k, Index d_head, Index d_v,
           std::uint32_t seed = 0) {
  mha::TorchGenerator generator(seed);
  return {generator.normal(t_q, d_head).cast<double>(),
          generator.normal(t_k, d_head).cast<double>(),
          generator.normal(t_k, d_v).cast<double>()};
}

mha::AttentionResult<double> attend(const Input& in,
                                    const AttentionOptions& options = {}) {
  return mha::attention(in.q, in.k, in.v, options);
}

constexpr double six_decimals = 0.5e-6;

}  // namespace

TEST_CASE("the layout fixture gives the numbers computed in float64") {
  const Fixture fixture;
  CHECK(mha::max_abs_difference(fixture.first_columns({}),
                                rows_of_two({1.391551, 1.043069, 0.236037,
                                             2.110090, 1.662492, 1.731264})) <=
        six_decimals);
}

TEST_CASE("the layout fixture under a causal mask gives its numbers") {
  const Fixture fixture;
  CHECK(mha::max_abs_difference(
            fixture.first_columns({.causal = Causal::top_left}),
            rows_of_two({0, 0.5, 0.106691, 0.877541, 1.662492, 1.731264})) <=
        six_decimals);
}

TEST_CASE("dividing by sqrt(d_model) gives other numbers") {
  const Fixture fixture;
  CHECK(mha::max_abs_difference(
            fixture.first_columns({.scale = 1 / std::sqrt(8.0)}),
            rows_of_two({1.272207, 1.180454, 0.404789, 1.943694, 1.535122,
                         1.725595})) <= six_decimals);
}

TEST_CASE("no scaling gives other numbers again") {
  const Fixture fixture;
  CHECK(mha::max_abs_difference(fixture.first_columns({.scale = 1.0}),
                                rows_of_two({1.700773, 0.707558, 0.027170,
                                             2.412812, 1.875539, 1.642938})) <=
        six_decimals);
}

TEST_CASE("the scale is a parameter, and 1 / sqrt(d_head) unless given") {
  const Input in = draw(3, 4, 16, 2);
  CHECK(attend(in, {.scale = 0.25}).context == attend(in).context);
  // 144 is what one published model of d_head 128 divides by the root of.
  const Matrix<double> scores = attend(in, {.scale = 1 / 12.0}).scores;
  CHECK(scores(1, 2) == doctest::Approx(in.q.row(1).dot(in.k.row(2)) / 12));
}

TEST_CASE("scaling the queries before or after the product is the same") {
  // d_head = 64: the scale is a power of two, so not even rounding differs.
  const Input in = draw(3, 5, 64, 2);
  const Matrix<double> after = (in.q * in.k.transpose()) / 8;
  CHECK(mha::max_abs_difference(attend(in).scores, after) <= 1e-15);
}

TEST_CASE("every row of weights sums to 1, over the keys") {
  const auto result = attend(draw(5, 3, 4, 2));
  for (Index i = 0; i < 5; ++i) {
    CHECK(result.weights.row(i).sum() == doctest::Approx(1).epsilon(1e-15));
  }
  CHECK(std::abs(result.weights.col(0).sum() - 1) > 0.1);
}

TEST_CASE("scores of 1000 and 1001 give weights of 0.269 and 0.731") {
  Input in{Matrix<double>(1, 1), Matrix<double>(2, 1), Matrix<double>(2, 1)};
  in.q << 1;
  in.k << 1000, 1001;
  in.v << 0, 1;
  const auto weights = attend(in).weights;
  CHECK(weights(0, 0) == doctest::Approx(0.268941421).epsilon(1e-8));
  CHECK(weights(0, 1) == doctest::Approx(0.731058579).epsilon(1e-8));
}

TEST_CASE("scores of minus 1000 and minus 1001 do not underflow to nothing") {
  Input in{Matrix<double>(1, 1), Matrix<double>(2, 1), Matrix<double>(2, 1)};
  in.q << -1;
  in.k << 1000, 1001;
  in.v << 0, 1;
  CHECK(attend(in).weights(0, 1) == doctest::Approx(0.268941421).epsilon(1e-8));
}

TEST_CASE("one key gets a weight of exactly 1, however large the numbers") {
  for (const float size : {1e-30F, 1.0F, 1e15F, 1e18F}) {
    const Matrix<float> q = Matrix<float>::Constant(3, 4, size);
    const Matrix<float> k = Matrix<float>::Constant(1, 4, size);
    const Matrix<float> v = Matrix<float>::Constant(1, 2, 1e30F);
    const auto result = mha::attention(q, k, v);
    CHECK((result.weights.array() == 1).all());
    CHECK((result.context.array() == 1e30F).all());
  }
}

TEST_CASE("a key that is hidden by minus infinity weighs exactly 0") {
  Input in = draw(2, 3, 4, 2);
  Matrix<double> bias = Matrix<double>::Zero(2, 3);
  bias(0, 1) = -inf;
  const auto result = attend(in, {.bias = bias});
  CHECK(result.weights(0, 1) == 0);
  in.k.row(1).setConstant(not_a_number);
  in.v.row(1).setConstant(not_a_number);
  CHECK(attend(in, {.bias = bias}).context.row(0) == result.context.row(0));
}

TEST_CASE("a finite bias is added to the scores, and only once") {
  const Input in = draw(2, 3, 4, 2);
  Matrix<double> bias(2, 3);
  bias << 0.5, -1, 2, 0, 3, -0.25;
  const auto result = attend(in, {.bias = bias});
  const Matrix<double> scores = attend(in).scores + bias;
  CHECK(mha::max_abs_difference(result.scores, scores) <= 1e-15);
  for (Index i = 0; i < 2; ++i) {
    const Matrix<double> e = scores.row(i).array().exp();
    CHECK(mha::max_abs_difference(result.weights.row(i), e / e.sum()) <= 1e-15);
  }
}

TEST_CASE("a row whose bias is all minus infinity is zeros, others untouched") {
  const Input in = draw(4, 4, 3, 2);
  Matrix<double> bias = Matrix<double>::Zero(4, 4);
  bias.row(1).setConstant(-inf);
  const auto result = attend(in, {.bias = bias});
  const auto free = attend(in);
  CHECK(result.weights.row(1).isZero(0));
  CHECK(result.context.row(1).isZero(0));
  for (const Index i : {0, 2, 3}) {
    CHECK(result.context.row(i) == free.context.row(i));
  }
}

TEST_CASE("visible scores that are all minus infinity give zeros, not NaN") {
  Input in = draw(1, 2, 1, 2);
  in.q.setConstant(-inf);
  in.k.setConstant(1);
  CHECK(attend(in).weights.isZero(0));
  CHECK(attend(in).context.isZero(0));
}

TEST_CASE("infinite scores share the row among them") {
  Input in = draw(1, 3, 1, 2);
  in.q.setConstant(1);
  in.k << inf, 5, inf;
  const auto shared = attend(in).weights;
  CHECK(shared(0, 0) == 0.5);
  CHECK(shared(0, 1) == 0);
  CHECK(shared(0, 2) == 0.5);
  in.k.row(1).setConstant(not_a_number);
  CHECK(attend(in).weights.array().isNaN().all());
}

TEST_CASE("a NaN that may be seen stays NaN, in its own row only") {
  Input in = draw(3, 4, 2, 2);
  in.q(1, 0) = not_a_number;
  const auto result = attend(in);
  CHECK(result.weights.row(1).array().isNaN().all());
  CHECK(result.context.row(1).array().isNaN().all());
  CHECK_FALSE(result.context.row(0).array().isNaN().any());
  CHECK_FALSE(result.context.row(2).array().isNaN().any());
}

TEST_CASE("a NaN in a bias or in a visible value stays NaN") {
  Input in = draw(2, 3, 2, 2);
  Matrix<double> bias = Matrix<double>::Zero(2, 3);
  bias(0, 2) = not_a_number;
  CHECK(attend(in, {.bias = bias}).context.row(0).array().isNaN().all());
  CHECK_FALSE(attend(in, {.bias = bias}).context.row(1).array().isNaN().any());
  in.v(2, 1) = not_a_number;
  CHECK(attend(in).context.col(1).array().isNaN().all());
  CHECK_FALSE(attend(in).context.col(0).array().isNaN().any());
}

TEST_CASE("a NaN is found wherever it stands among the keys") {
  for (Index j = 0; j < 4; ++j) {
    Input in = draw(1, 4, 2, 2);
    in.k(j, 0) = not_a_number;
    CHECK(attend(in).weights.array().isNaN().all());
  }
}

TEST_CASE("no queries give no rows") {
  const auto result = attend(draw(0, 4, 3, 2));
  CHECK(result.scores.rows() == 0);
  CHECK(result.scores.cols() == 4);
  CHECK(result.context.rows() == 0);
  CHECK(result.context.cols() == 2);
}

TEST_CASE("no keys give zeros") {
  for (const Causal causal :
       {Causal::none, Causal::top_left, Causal::bottom_right}) {
    const auto result = attend(draw(3, 0, 2, 4), {.causal = causal});
    CHECK(result.weights.cols() == 0);
    CHECK(result.context.rows() == 3);
    CHECK(result.context.cols() == 4);
    CHECK(result.context.isZero(0));
  }
}

TEST_CASE("values may be wider or narrower than keys") {
  CHECK(attend(draw(2, 3, 4, 7)).context.cols() == 7);
  CHECK(attend(draw(2, 3, 4, 1)).context.cols() == 1);
  CHECK(attend(draw(2, 3, 4, 0)).context.cols() == 0);
}

TEST_CASE("the inputs may be views into wider rows") {
  const Input in = draw(3, 3, 8, 8);
  const Matrix<double> q = in.q.middleCols(2, 3), k = in.k.middleCols(2, 3),
                       v = in.v.middleCols(2, 3);
  CHECK(mha::attention(in.q.middleCols(2, 3), in.k.middleCols(2, 3),
                       in.v.middleCols(2, 3))
            .context == mha::attention(q, k, v).context);
}

TEST_CASE("sizes and offsets are 64 bits wide and signed") {
  CHECK(std::numeric_limits<Index>::max() == 0x7FFFFFFFFFFFFFFF);
  // No storage behind it: 3 billion rows of no columns.
  const Matrix<float> rows(Index{3'000'000'000}, 0);
  CHECK(rows.rows() == 3'000'000'000);
}

TEST_CASE("shapes that do not fit are refused with both numbers") {
  const auto zero = [](Index rows, Index cols) {
    return Matrix<double>(Matrix<double>::Zero(rows, cols));
  };
  CHECK_THROWS_WITH_AS(mha::attention(zero(2, 3), zero(2, 4), zero(2, 4)),
                       "queries have 3 columns, but keys have 4",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(mha::attention(zero(2, 3), zero(4, 3), zero(5, 3)),
                       "there are 4 keys, but 5 values", std::invalid_argument);
  CHECK_THROWS_WITH_AS(mha::attention(zero(2, 0), zero(4, 0), zero(4, 3)),
                       "queries and keys have 0 columns, but need at least 1",
                       std::invalid_argument);
}

TEST_CASE("a hidden key keeps the weight 0 beside a NaN that is seen") {
  Matrix<double> scores(1, 3);
  scores << not_a_number, 1, 2;
  mha::BoolMatrix visible(1, 3);
  visible << true, true, false;
  const Matrix<double> weights = mha::masked_softmax(scores, visible);
  CHECK(std::isnan(weights(0, 0)));
  CHECK(weights(0, 2) == 0);
}
