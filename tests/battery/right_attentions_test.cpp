// The battery must not accuse an attention that is right.
#include "mha/pointer_attention.hpp"

#include <Eigen/Core>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

using mha::Index;
using mha::PointerLayout;
using mha::PointerSizes;

enum class Order { forward, backward, pairwise, in_fours };

template <typename T>
T added(std::vector<T> terms, Order order) {
  if (order == Order::backward) std::reverse(terms.begin(), terms.end());
  if (order == Order::forward || order == Order::backward)
    return std::accumulate(terms.begin(), terms.end(), T{0});
  if (order == Order::in_fours) {
    T lanes[4] = {};
    for (std::size_t n = 0; n < terms.size(); ++n) lanes[n % 4] += terms[n];
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
  }
  while (terms.size() > 1) {
    std::vector<T> sums;
    for (std::size_t n = 0; n < terms.size(); n += 2)
      sums.push_back(n + 1 < terms.size() ? terms[n] + terms[n + 1] : terms[n]);
    terms = sums;
  }
  return terms.empty() ? T{0} : terms[0];
}

// Where (item, token, head) begins.
template <typename T>
Index place(PointerLayout layout, const PointerSizes<T>& s, Index tokens,
            Index heads, Index b, Index t, Index h) {
  if (layout == PointerLayout::batch_head_token)
    return ((b * heads + h) * tokens + t) * s.d_head;
  if (layout == PointerLayout::token_batch_head)
    return ((t * s.batch + b) * heads + h) * s.d_head;
  return ((b * tokens + t) * heads + h) * s.d_head;
}

// One row of a right attention, its sums in any order.
template <typename T>
void attend_row(const T* q, const T* k, const T* v, T* out,
                const PointerSizes<T>& s, PointerLayout layout, Order order,
                Index b, Index h, Index i) {
  const Index kv = h / (s.n_heads / s.n_kv_heads);
  const T* query = q + place(layout, s, s.t_q, s.n_heads, b, i, h);
  const auto row = [&](const T* all, Index j) {
    return all + place(layout, s, s.t_k, s.n_kv_heads, b, j, kv);
  };
  std::vector<Index> keys;
  std::vector<T> scores;
  for (Index j = 0; j < s.t_k; ++j) {
    if (s.causal && j > i + s.t_k - s.t_q) continue;
    if (s.padding != nullptr && !s.padding[b * s.t_k + j]) continue;
    std::vector<T> terms;
    for (Index c = 0; c < s.d_head; ++c)
      terms.push_back(query[c] * row(k, j)[c]);
    const T bias = s.bias != nullptr ? s.bias[i * s.t_k + j] : T{0};
    if (std::isinf(bias)) continue;
    scores.push_back(s.scale * added(terms, order) + bias);
    keys.push_back(j);
  }
  T* answer = out + place(layout, s, s.t_q, s.n_heads, b, i, h);
  std::fill(answer, answer + s.d_head, T{0});
  if (keys.empty()) return;
  const T highest = *std::max_element(scores.begin(), scores.end());
  for (T& x : scores) x = x == highest ? T{1} : std::exp(x - highest);
  const T total = added(scores, order);
  for (Index c = 0; c < s.d_head; ++c) {
    std::vector<T> terms;
    for (std::size_t n = 0; n < keys.size(); ++n)
      terms.push_back(scores[n] / total * row(v, keys[n])[c]);
    answer[c] = added(terms, order);
  }
}

template <typename T>
auto right_attention(PointerLayout layout, Order order) {
  return [=](const T* q, const T* k, const T* v, T* out,
             const PointerSizes<T>& s) {
    for (Index b = 0; b < s.batch; ++b)
      for (Index h = 0; h < s.n_heads; ++h)
        for (Index i = 0; i < s.t_q; ++i)
          attend_row<T>(q, k, v, out, s, layout, order, b, h, i);
  };
}

// How many calls a right attention was asked before it was believed.
template <typename T>
Index calls_until_believed(PointerLayout layout, Order order) {
  mha::Abilities can = mha::pointer_abilities<T>();
  can.padding = can.bias = true;
  Index calls = 0;
  const mha::AttentionFunction attention =
      mha::from_pointers(right_attention<T>(layout, order), layout);
  const mha::BatteryReport report = mha::check_attention(
      [&](const mha::AttentionCall& call) {
        ++calls;
        return attention(call);
      },
      can);
  CHECK_MESSAGE(report.passed(), report);
  return calls;
}

constexpr PointerLayout layouts[] = {PointerLayout::batch_token_head,
                                     PointerLayout::batch_head_token,
                                     PointerLayout::token_batch_head};
constexpr Order orders[] = {Order::forward, Order::backward, Order::pairwise,
                            Order::in_fours};

// Numbers that are stored with 16 bits, and worked with in 32.
template <typename Half>
mha::AttentionFunction stored_as(const mha::AttentionFunction& attention) {
  const auto rounded = [](const mha::Matrix<double>& m) -> mha::Matrix<double> {
    return m.template cast<float>().template cast<Half>()
        .template cast<float>().template cast<double>();
  };
  return [=](const mha::AttentionCall& call) {
    mha::AttentionCall stored = call;
    stored.q = rounded(call.q);
    stored.k = rounded(call.k);
    stored.v = rounded(call.v);
    return mha::AttentionAnswer{rounded(attention(stored).output), {}};
  };
}

}  // namespace

TEST_CASE("a right attention in float or double, in any order of its sums and "
          "any layout, is not accused in a thousand calls each") {
  for (const PointerLayout layout : layouts)
    for (const Order order : orders) {
      CHECK(calls_until_believed<float>(layout, order) > 1000);
      CHECK(calls_until_believed<double>(layout, order) > 1000);
    }
}

TEST_CASE("a layout that is named wrongly is accused") {
  for (const PointerLayout layout : layouts)
    for (const PointerLayout named : layouts) {
      if (named == layout) continue;
      CHECK_FALSE(mha::check_attention(
                      mha::from_pointers(
                          right_attention<double>(layout, Order::forward),
                          named),
                      mha::pointer_abilities<double>())
                      .passed());
    }
}

TEST_CASE("a right attention stored with 16 bits passes with their epsilon") {
  const mha::AttentionFunction exact = mha::from_pointers(
      right_attention<float>(layouts[0], Order::forward), layouts[0]);
  mha::Abilities can = mha::pointer_abilities<float>();
  can.infinite_scores = false;
  can.epsilon = std::ldexp(1.0, -10);
  const auto half = mha::check_attention(stored_as<Eigen::half>(exact), can);
  CHECK_MESSAGE(half.passed(), half);
  can.epsilon = std::ldexp(1.0, -7);
  const auto brain =
      mha::check_attention(stored_as<Eigen::bfloat16>(exact), can);
  CHECK_MESSAGE(brain.passed(), brain);
}
