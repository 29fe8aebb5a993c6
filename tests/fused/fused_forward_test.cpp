#include "fused_on_calls.hpp"

#include "mha/generator.hpp"
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using mha::Index;
using mha::Matrix;

constexpr double inf = std::numeric_limits<double>::infinity();

template <typename T, std::size_t n>
T one_of(mha::TorchGenerator& generator, const T (&choices)[n]) {
  return choices[generator.integer(static_cast<Index>(n))];
}

mha::BoolMatrix random_table(mha::TorchGenerator& generator, Index rows,
                             Index cols, Index one_in) {
  mha::BoolMatrix table(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      table(i, j) = generator.integer(one_in) != 0;
    }
  }
  return table;
}

// Sizes at the edges of blocks and tiles, primes, and 1.
mha::CallSizes random_sizes(mha::TorchGenerator& generator) {
  constexpr Index tokens[] = {1,  2,  3,  5,  7,  8,  13, 16, 23, 24, 25, 31,
                              32, 33, 61, 63, 64, 65, 97, 127, 128, 131, 150};
  constexpr Index widths[] = {1,  2,  3,  4,  5,  7,   8,   9,   15,  16,
                              17, 31, 33, 64, 67, 80,  128, 129, 255, 256};
  constexpr Index groups[] = {1, 1, 2, 3};
  mha::CallSizes sizes;
  sizes.batch = 1 + generator.integer(2);
  sizes.t_q = one_of(generator, tokens);
  sizes.t_k = generator.integer(2) == 0 ? sizes.t_q : one_of(generator, tokens);
  sizes.n_kv_heads = 1 + generator.integer(2);
  sizes.n_heads = sizes.n_kv_heads * one_of(generator, groups);
  sizes.d_head = one_of(generator, widths);
  return sizes;
}

// Inputs are rounded to float32 first: only the computing is compared.
mha::AttentionCall random_fused_call(std::uint32_t seed) {
  mha::TorchGenerator generator(seed);
  const mha::CallSizes sizes = random_sizes(generator);
  mha::AttentionCall call = mha::random_call(seed, sizes);
  constexpr mha::Causal corners[] = {mha::Causal::none, mha::Causal::top_left,
                                     mha::Causal::bottom_right};
  call.options.causal = one_of(generator, corners);
  if (generator.integer(3) == 0) {
    call.padding = random_table(generator, sizes.batch, sizes.t_k, 3);
  }
  if (generator.integer(4) == 0) {
    call.options.pairs = mha::AttendMask::where_true_attends(
        random_table(generator, sizes.t_q, sizes.t_k, 4));
  }
  if (generator.integer(4) == 0) {
    call.options.bias = generator.normal(sizes.t_q, sizes.t_k).cast<double>();
    for (Index j = 0; j < sizes.t_k; j += 3) call.options.bias(0, j) = -inf;
  }
  if (generator.integer(4) == 0) call.options.scale = 0.375;
  return call;
}

// The largest score, without its sign, which rounding is relative to.
double largest_score(const mha::AttentionCall& call) {
  const double scale = call.options.scale.value_or(
      1 / std::sqrt(static_cast<double>(mha::d_head_of(call))));
  const Index d = mha::d_head_of(call);
  double q = 0, k = 0;
  for (Index h = 0; h < call.n_heads; ++h) {
    q = std::max(q, call.q.middleCols(h * d, d).rowwise().norm().maxCoeff());
  }
  for (Index h = 0; h < call.n_kv_heads; ++h) {
    k = std::max(k, call.k.middleCols(h * d, d).rowwise().norm().maxCoeff());
  }
  return scale * q * k;
}

// A score is a sum of d products, off by at most about sqrt(d) roundings of
// its largest size; weights are off by as much, relatively; the values add a
// few roundings of their own.
double allowed(const mha::AttentionCall& call) {
  const double epsilon = std::numeric_limits<float>::epsilon();
  return epsilon * (4 + 2 * largest_score(call)) *
         call.v.cwiseAbs().maxCoeff();
}

Matrix<double> naive_float(const mha::AttentionCall& call) {
  const Index d = mha::d_head_of(call);
  Matrix<double> output(call.q.rows(), call.q.cols());
  for (Index h = 0; h < call.n_heads; ++h) {
    const Index kv = h / (call.n_heads / call.n_kv_heads);
    output.middleCols(h * d, d) =
        mha::attention(call.q.middleCols(h * d, d).cast<float>(),
                       call.k.middleCols(kv * d, d).cast<float>(),
                       call.v.middleCols(kv * d, d).cast<float>(),
                       call.options)
            .context.cast<double>();
  }
  return output;
}

}  // namespace

TEST_CASE("400 random calls equal the definition in double precision, in "
          "every width and with one thread or three") {
  for (const int lanes : mha::vector_widths()) {
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
      const mha::AttentionCall call = random_fused_call(seed);
      const Matrix<double> expected = mha::by_definition(call);
      const int threads = seed % 2 == 0 ? 1 : 3;
      const Matrix<double> got =
          fused::on_calls({.threads = threads, .lanes = lanes})(call).output;
      const double apart = mha::max_abs_difference(got, expected);
      CHECK_MESSAGE(apart <= allowed(call), "seed ", seed, ", lanes ", lanes,
                    ": ", apart, " > ", allowed(call));
    }
  }
}

TEST_CASE("the battery finds nothing wrong, in any width") {
  for (const int lanes : mha::vector_widths()) {
    const mha::BatteryReport report = mha::check_attention(
        fused::on_calls({.lanes = lanes}), fused::abilities());
    CHECK(report.made() >= 20);
    CHECK_MESSAGE(report.passed(), "lanes ", lanes, "\n", report);
  }
}

TEST_CASE("the error is at most a quarter above the naive layer's, on average "
          "over 40 calls") {
  double fused_error = 0, naive_error = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const mha::AttentionCall call = mha::random_call(
        seed, {.t_q = 97, .t_k = 131, .n_heads = 2, .d_head = 64});
    const Matrix<double> expected = mha::by_definition(call);
    fused_error +=
        mha::max_abs_difference(fused::on_calls()(call).output, expected);
    naive_error += mha::max_abs_difference(naive_float(call), expected);
  }
  INFO("fused ", fused_error / 40, ", naive ", naive_error / 40);
  CHECK(naive_error > 0);
  CHECK(fused_error <= 1.25 * naive_error);
}

TEST_CASE("the log-sum-exp is that of the scores, and minus infinity for a "
          "query that sees nothing") {
  for (const int lanes : mha::vector_widths()) {
    const mha::AttentionCall call = mha::random_call(
        3, {.t_q = 70, .t_k = 67, .n_heads = 1, .d_head = 33});
    const mha::AttentionOptions options{.causal = mha::Causal::bottom_right};
    const mha::FusedResult result = mha::fused_attention(
        call.q.cast<float>(), call.k.cast<float>(), call.v.cast<float>(), {},
        options, {}, {.lanes = lanes});
    const Matrix<double> scores =
        mha::attention(call.q, call.k, call.v).scores;
    for (Index i = 0; i < 70; ++i) {
      const Index seen = std::clamp<Index>(i - 2, 0, 67);
      const double right =
          seen == 0 ? -inf : std::log(scores.row(i).head(seen).array().exp().sum());
      const double got = static_cast<double>(result.log_sum_exp(0, i));
      if (seen == 0) {
        CHECK(got == -inf);
        CHECK(result.output.row(i).isZero(0));
      } else {
        CHECK(std::abs(got - right) <= 4e-6);
      }
    }
  }
}

TEST_CASE("a causal row is the same, bit for bit, whatever comes later, "
          "even NaN") {
  mha::TorchGenerator generator(5);
  const Matrix<float> q = generator.normal(150, 48);
  Matrix<float> k = generator.normal(150, 48), v = generator.normal(150, 48);
  for (const int lanes : mha::vector_widths()) {
    const auto rows = [&](Index n) -> Matrix<float> {
      return mha::fused_attention(q, k, v, {.n_heads = 3, .n_kv_heads = 3},
                                  {.causal = mha::Causal::top_left}, {},
                                  {.lanes = lanes})
          .output.topRows(n);
    };
    const Matrix<float> before = rows(77);
    const Matrix<float> k_before = k, v_before = v;
    k.bottomRows(73).setConstant(std::numeric_limits<float>::quiet_NaN());
    v.bottomRows(73).setConstant(std::numeric_limits<float>::infinity());
    CHECK((rows(77).array() == before.array()).all());
    k = k_before;
    v = v_before;
  }
}

TEST_CASE("the number of threads changes no bit") {
  const mha::AttentionCall call = mha::random_call(
      11, {.batch = 2, .t_q = 200, .t_k = 150, .n_heads = 3, .d_head = 64});
  const Matrix<double> one = fused::on_calls({.threads = 1})(call).output;
  for (const int threads : {0, 2, 3, 7}) {
    const Matrix<double> more =
        fused::on_calls({.threads = threads})(call).output;
    CHECK((more.array() == one.array()).all());
  }
}

TEST_CASE("one key gives its value exactly, however large the score") {
  mha::TorchGenerator generator(6);
  const Matrix<float> q = generator.normal(3, 5) * 1e18F;
  const Matrix<float> k = generator.normal(1, 5) * 1e18F;
  const Matrix<float> v = generator.normal(1, 5);
  for (const int lanes : mha::vector_widths()) {
    const Matrix<float> out =
        mha::fused_attention(q, k, v, {}, {}, {}, {.lanes = lanes}).output;
    for (Index i = 0; i < 3; ++i) {
      CHECK((out.row(i).array() == v.row(0).array()).all());
    }
  }
}

TEST_CASE("heads may lie one after the other in memory, with gaps") {
  constexpr Index heads = 2, tokens = 37, d = 10, token = 12;
  mha::TorchGenerator generator(8);
  const Matrix<float> memory = generator.normal(3 * heads, tokens * token);
  const auto matrix_of = [&](Index part) {
    Matrix<float> rows(tokens, heads * d);
    for (Index h = 0; h < heads; ++h) {
      for (Index t = 0; t < tokens; ++t) {
        rows.row(t).segment(h * d, d) =
            memory.row(part * heads + h).segment(t * token, d);
      }
    }
    return rows;
  };
  Matrix<float> out =
      Matrix<float>::Constant(heads, tokens * token, 7.0F);
  mha::FusedCall call;
  call.q = memory.data();
  call.k = memory.row(heads).data();
  call.v = memory.row(2 * heads).data();
  call.out = out.data();
  call.q_at = call.k_at = call.v_at = call.out_at = {
      .token = token, .head = tokens * token};
  call.t_q = call.t_k = tokens;
  call.n_heads = call.n_kv_heads = heads;
  call.d_head = d;
  call.scale = 1 / std::sqrt(10.0F);
  mha::fused_forward(call);
  const Matrix<float> expected =
      mha::fused_attention(matrix_of(0), matrix_of(1), matrix_of(2),
                           {.n_heads = heads, .n_kv_heads = heads})
          .output;
  for (Index h = 0; h < heads; ++h) {
    for (Index t = 0; t < tokens; ++t) {
      const auto row = out.row(h).segment(t * token, token);
      CHECK((row.head(d).array() ==
             expected.row(t).segment(h * d, d).array()).all());
      CHECK((row.tail(token - d).array() == 7.0F).all());
    }
  }
}

TEST_CASE("sizes that do not fit are refused with their numbers") {
  const Matrix<float> x = Matrix<float>::Ones(6, 12);
  const auto refused = [&](const mha::FusedHeads& heads,
                           const std::string& message,
                           const mha::BoolMatrix& padding = {}) {
    CHECK_THROWS_WITH_AS(mha::fused_attention(x, x, x, heads, {}, padding),
                         message.c_str(), std::invalid_argument);
  };
  refused({.n_heads = 5, .n_kv_heads = 5},
          "n_heads = 5 does not divide the 12 columns of q");
  refused({.n_heads = 4, .n_kv_heads = 2},
          "k has 12 columns, but 2 heads of 3 need 6");
  refused({.batch = 4},
          "6 rows of queries or 6 of keys cannot be 4 items of equal length");
  refused({}, "padding is 1 x 5, but there are 1 items of 6 keys",
          mha::BoolMatrix::Constant(1, 5, true));
  mha::FusedCall call;
  call.n_heads = 6;
  call.n_kv_heads = 4;
  CHECK_THROWS_WITH_AS(mha::fused_forward(call),
                       "n_kv_heads = 4 does not divide n_heads = 6; choose a divisor",
                       std::invalid_argument);
  CHECK_THROWS_AS(
      mha::fused_attention(x, x, x, {}, {}, {}, {.lanes = 5}),
      std::invalid_argument);
}

TEST_CASE("no queries, or no keys, are no error") {
  const Matrix<float> none(0, 4), some = Matrix<float>::Ones(3, 4);
  CHECK(mha::fused_attention(none, some, some, {}).output.rows() == 0);
  CHECK(mha::fused_attention(some, none, none, {}).output.isZero(0));
}
