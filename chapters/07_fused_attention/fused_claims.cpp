#include "fused_on_calls.hpp"
#include "ladder.hpp"
#include "speed_figures.hpp"

#include "mha/generator.hpp"
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

// [claims]
using mha::Index;
using mha::Matrix;
using mha::RowVector;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// One head of the call, in memory of its own.
struct HeadMemory {
  Matrix<float> q, k, v, out;

  HeadMemory(std::uint32_t seed, Index t_q, Index t_k, Index d_head) {
    mha::TorchGenerator generator(seed);
    q = generator.normal(t_q, d_head);
    k = generator.normal(t_k, d_head);
    v = generator.normal(t_k, d_head);
    out = Matrix<float>::Constant(t_q, d_head, not_a_number);
  }

  mha::FusedCall call() {
    mha::FusedCall call;
    call.q = q.data();
    call.k = k.data();
    call.v = v.data();
    call.out = out.data();
    call.t_q = q.rows();
    call.t_k = k.rows();
    call.d_head = q.cols();
    call.q_at = call.k_at = call.v_at = call.out_at = {.token = q.cols()};
    call.scale = 1 / std::sqrt(static_cast<float>(q.cols()));
    return call;
  }

  Matrix<double> exact() const {
    return mha::attention(q.cast<double>(), k.cast<double>(),
                          v.cast<double>()).context;
  }
};

// Scores of normal numbers stay below 6 or so, values below 5: a few dozen
// roundings of 6e-8 each.
constexpr double rounding = 5e-6;

fused::Running of_all(const RowVector<float>& scores, const Matrix<float>& v) {
  fused::Running now;
  now.context = RowVector<float>::Zero(v.cols());
  for (Index j = 0; j < v.rows(); ++j) {
    fused::add_key(now, scores(j), v.row(j));
  }
  return now;
}
// [claims]

}  // namespace

TEST_CASE("the recorded runs reach what was wanted, with both compilers") {
  CHECK(fused::most_missing(fused::recorded_run()) == 0);
  CHECK(fused::most_missing(fused::recorded_clang_run()) == 0);
}

TEST_CASE("one key at a time gives what the softmax gives, in either order") {
  HeadMemory head(1, 1, 50, 8);
  const mha::AttentionResult<float> whole =
      mha::attention(head.q, head.k, head.v);
  const fused::Running forwards = of_all(whole.scores.row(0), head.v);
  const fused::Running backwards =
      of_all(whole.scores.row(0).reverse(), head.v.colwise().reverse());
  for (const fused::Running& now : {forwards, backwards}) {
    CHECK(mha::max_abs_difference(now.context / now.total, whole.context) <=
          rounding);
  }
}

TEST_CASE("hidden keys that come first leave no NaN behind") {
  const Matrix<float> v = Matrix<float>::Identity(4, 4);
  RowVector<float> scores(4);
  scores << -inf, -inf, 1, 2;
  const fused::Running now = of_all(scores, v);
  CHECK(now.context(0) == 0);
  CHECK(now.context(1) == 0);
  CHECK(std::abs(now.context(2) / now.total - 0.268941F) <= 1e-6F);
  CHECK(std::abs(now.context(3) / now.total - 0.731059F) <= 1e-6F);
}

TEST_CASE("every step of the ladder computes the same attention") {
  for (const fused::Step& step : fused::ladder()) {
    for (const Index tokens : {1, 7, 64, 129, 300}) {
      HeadMemory head(2, tokens, tokens, 20);
      step.attend(head.call());
      const double apart = mha::max_abs_difference(head.out, head.exact());
      CHECK_MESSAGE(apart <= rounding, step.name, ", T = ", tokens);
    }
  }
}

TEST_CASE("the fused attention passes the battery of chapter 5") {
  const mha::BatteryReport report =
      mha::check_attention(fused::on_calls(), fused::abilities());
  CHECK_MESSAGE(report.passed(), report);
}

TEST_CASE("the weights can be had back from the log-sum-exp") {
  HeadMemory head(3, 40, 70, 16);
  const mha::FusedResult result =
      mha::fused_attention(head.q, head.k, head.v, {});
  const mha::AttentionResult<float> whole =
      mha::attention(head.q, head.k, head.v);
  for (Index i = 0; i < 40; ++i) {
    const auto back =
        (whole.scores.row(i).array() - result.log_sum_exp(0, i)).exp();
    CHECK(mha::max_abs_difference(back.matrix(), whole.weights.row(i)) <=
          rounding);
  }
}

TEST_CASE("NaN in a key or a value that is hidden does not get out") {
  HeadMemory head(4, 100, 100, 16);
  const mha::AttentionOptions causal{.causal = mha::Causal::bottom_right};
  const auto attend = [&] {
    return mha::fused_attention(head.q, head.k, head.v, {}, causal).output;
  };
  const Matrix<float> before = attend();
  head.k.bottomRows(30).setConstant(not_a_number);
  head.v.bottomRows(30).setConstant(inf);
  const Matrix<float> after = attend();
  CHECK((after.topRows(70).array() == before.topRows(70).array()).all());
  CHECK(after.bottomRows(30).array().isNaN().all());
}

TEST_CASE("the two causal corners differ when there are more keys") {
  HeadMemory head(5, 10, 50, 8);
  const auto attend = [&](mha::Causal corner) {
    return mha::fused_attention(head.q, head.k, head.v, {},
                                {.causal = corner}).output;
  };
  const Matrix<float> first_key = head.v.topRows(1);
  CHECK((attend(mha::Causal::top_left).row(0).array() ==
         first_key.row(0).array()).all());
  const Matrix<float> whole =
      mha::attention(head.q, head.k, head.v).context.bottomRows(1);
  CHECK(mha::max_abs_difference(
            attend(mha::Causal::bottom_right).bottomRows(1), whole) <=
        rounding);
}

TEST_CASE("shared heads read their group's keys without a copy") {
  mha::TorchGenerator generator(6);
  const Matrix<float> q = generator.normal(20, 4 * 8);
  const Matrix<float> k = generator.normal(20, 2 * 8);
  const Matrix<float> v = generator.normal(20, 2 * 8);
  const Matrix<float> out =
      mha::fused_attention(q, k, v, {.n_heads = 4, .n_kv_heads = 2}).output;
  for (Index h = 0; h < 4; ++h) {
    const Matrix<float> right =
        mha::attention(q.middleCols(h * 8, 8), k.middleCols(h / 2 * 8, 8),
                       v.middleCols(h / 2 * 8, 8))
            .context;
    CHECK(mha::max_abs_difference(out.middleCols(h * 8, 8), right) <=
          rounding);
  }
}
