#include "own_attention.hpp"

#include "mha/cache_checks.hpp"
#include "mha/layer_checks.hpp"
#include "mha/pointer_attention.hpp"
#include "mha/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace own {
namespace {

// [one query]
// Keys and values of one head lie `step` floats apart.
void attend(const float* q, const float* k, const float* v, float* out,
            long keys, long d, long step, float scale) {
  std::fill(out, out + d, 0.0F);
  if (keys <= 0) return;
  std::vector<float> weights;
  for (long j = 0; j < keys; ++j) {
    float dot = 0;
    for (long c = 0; c < d; ++c) dot += q[c] * k[j * step + c];
    weights.push_back(scale * dot);
  }
  const float highest = *std::max_element(weights.begin(), weights.end());
  float total = 0;
  for (float& w : weights) total += w = std::exp(w - highest);
  for (long j = 0; j < keys; ++j)
    for (long c = 0; c < d; ++c)
      out[c] += weights[static_cast<std::size_t>(j)] / total * v[j * step + c];
}
// [one query]

// [my attention]
// Memory is (batch, T, heads, d_head).
void my_attention(const float* q, const float* k, const float* v, float* out,
                  const mha::PointerSizes<float>& s) {
  const long d = s.d_head, q_step = s.n_heads * d, k_step = s.n_kv_heads * d;
  for (long b = 0; b < s.batch; ++b)
    for (long i = 0; i < s.t_q; ++i)
      for (long h = 0; h < s.n_heads; ++h) {
        const long kv = h % s.n_kv_heads;  // the bug
        const long mine = (b * s.t_q + i) * q_step + h * d;
        const long theirs = b * s.t_k * k_step + kv * d;
        const long keys = s.causal ? i + s.t_k - s.t_q + 1 : s.t_k;
        attend(q + mine, k + theirs, v + theirs, out + mine, keys, d, k_step,
               s.scale);
      }
}
// [my attention]

// [my report]
mha::BatteryReport my_report(bool shared_heads) {
  mha::Abilities can = mha::pointer_abilities<float>();
  can.shared_heads = shared_heads;
  can.infinite_scores = false;  // mine gives NaN for infinity
  return mha::check_attention(
      mha::from_pointers(my_attention, mha::PointerLayout::batch_token_head),
      can);
}
// [my report]

// [my main]
int my_main() {
  const mha::BatteryReport report = my_report(true);
  fmt::print("{}", mha::to_string(report));
  return report.passed() ? 0 : 1;
}
// [my main]

// [my cache]
// Keys and values of one item grow by the new tokens, row under row.
mha::CacheSession my_session() {
  const auto cache = std::make_shared<mha::AttentionCall>();
  return [cache](const mha::AttentionCall& piece) {
    mha::AttentionCall& all = *cache;
    const auto append = [](mha::Matrix<double>& rows,
                           const mha::Matrix<double>& more) {
      rows.conservativeResize(rows.rows() + more.rows(), more.cols());
      rows.bottomRows(more.rows()) = more;
    };
    append(all.k, piece.k);
    append(all.v, piece.v);
    all.q = piece.q;
    all.n_heads = piece.n_heads;
    all.n_kv_heads = piece.n_kv_heads;
    all.options = piece.options;
    return mha::by_definition(all);
  };
}
// [my cache]

}  // namespace

// [print own]
void print_own() {
  mha::heading("What the battery says of it");
  my_main();
}
// [print own]

}  // namespace own

TEST_CASE("my attention passes") {
  const mha::BatteryReport report = own::my_report(false);
  CHECK_MESSAGE(report.passed(), report);
}

TEST_CASE("with shared key/value heads my attention fails, and is told of "
          "four query heads and two key/value heads") {
  const mha::BatteryReport report = own::my_report(true);
  CHECK_FALSE(report.passed());
  for (const mha::CheckResult& one : report.results) {
    if (!one.fault || one.fault->sizes.n_kv_heads == 0) continue;
    CHECK(one.fault->sizes.n_heads > one.fault->sizes.n_kv_heads);
    CHECK(one.fault->sizes.n_kv_heads > 1);
  }
}

TEST_CASE("the layer of chapter 2 passes, projections and biases included") {
  const mha::BatteryReport report = mha::check_layer(
      [](const mha::LayerCall& call) {
        const mha::MultiHeadAttention<double> layer(call.weights,
                                                    call.n_heads);
        const auto& memory = call.memory.size() == 0 ? call.x : call.memory;
        return layer.forward(call.x, memory, memory, call.options).output;
      },
      {.padding = false, .batches = false, .shared_heads = false});
  CHECK_MESSAGE(report.passed(), report);
}

TEST_CASE("a layer that adds the output bias in every head is told so") {
  const mha::BatteryReport report =
      mha::check_projections([](mha::LayerCall call) {
        call.weights.b_o *= static_cast<double>(call.n_heads);
        return mha::layer_by_definition(call);
      });
  CHECK(mha::to_string(report).find("3 heads: it is added 3 times") !=
        std::string::npos);
}

TEST_CASE("my cache keeps what it was fed") {
  const mha::BatteryReport report =
      mha::check_sessions(own::my_session, {.batches = false});
  CHECK_MESSAGE(report.passed(), report);
}

TEST_CASE("a cache that all sessions share is told so") {
  const mha::CacheSession only_one = own::my_session();
  const mha::BatteryReport report = mha::check_sessions(
      [&] { return only_one; }, {.batches = false});
  CHECK(mha::to_string(report).find("FAILED a new session starts empty") !=
        std::string::npos);
}
