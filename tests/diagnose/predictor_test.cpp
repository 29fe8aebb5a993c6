// What is predicted of some rows against the gallery's whole attention.
#include "diagnose/predictor.hpp"

#include "cases.hpp"
#include "mha/battery.hpp"
#include "mha/layer.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

using diagnose::Call;
using diagnose::Hypothesis;
using diagnose::Index;
using diagnose::Numbers;
using diagnose::Predictor;
using diagnose::Probe;
using diagnose::Reading;
using diagnose::Variation;

namespace {

enum class Mask { none, causal, pairs, padding, bias, all };

constexpr Mask masks[] = {Mask::none,    Mask::causal, Mask::pairs,
                          Mask::padding, Mask::bias,   Mask::all};

void add_mask(Call& call, Mask mask) {
  const Index t_q = tokens_of(call), t_k = keys_of(call);
  if (mask == Mask::causal || mask == Mask::all) {
    call.options.causal = mha::Causal::bottom_right;
  }
  if (mask == Mask::pairs || mask == Mask::all) {
    mha::BoolMatrix near(t_q, t_k);
    for (Index i = 0; i < t_q; ++i) {
      for (Index j = 0; j < t_k; ++j) near(i, j) = (i + 2 * j) % 3 != 0;
    }
    call.options.pairs = mha::AttendMask::where_true_attends(near);
  }
  if (mask == Mask::padding || mask == Mask::all) {
    call.padding = mha::BoolMatrix::Constant(call.batch, t_k, true);
    for (Index b = 0; b < call.batch; ++b) call.padding(b, b % t_k) = false;
  }
  if (mask == Mask::bias || mask == Mask::all) {
    call.options.bias = mha::TorchGenerator(9).normal(t_q, t_k).cast<double>();
  }
}

std::vector<mha::CallSizes> sizes() {
  return {{.batch = 2, .t_q = 5, .t_k = 5, .n_heads = 3, .d_head = 4},
          {.batch = 3, .t_q = 4, .t_k = 7, .n_heads = 4, .n_kv_heads = 2,
           .d_head = 5},
          {.batch = 2, .t_q = 7, .t_k = 3, .n_heads = 6, .n_kv_heads = 1,
           .d_head = 1},
          {.batch = 1, .t_q = 1, .t_k = 1, .n_heads = 1, .d_head = 3}};
}

Reading reading_of(const Call& call) {
  Reading reading;
  reading.call = call;
  reading.t_q = tokens_of(call);
  reading.t_k = keys_of(call);
  reading.output = call.q;
  reading.type = diagnose::NumberType::float64;
  return reading;
}

Probe every_row(const Reading& reading) {
  Probe probe;
  probe.rows.resize(static_cast<std::size_t>(reading.output.rows()));
  std::iota(probe.rows.begin(), probe.rows.end(), 0);
  return probe;
}

// NaN equals NaN here.
double apart(const Numbers& a, const Numbers& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  double most = 0;
  for (Index n = 0; n < a.size(); ++n) {
    const double x = a.data()[n], y = b.data()[n];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    most = std::max(most, std::abs(x - y));
    if (std::isnan(x - y)) return std::numeric_limits<double>::infinity();
  }
  return most;
}

template <typename See>
void for_each_call(See see) {
  std::uint32_t seed = 1;
  for (const mha::CallSizes& one : sizes()) {
    for (const Mask mask : masks) {
      Call call = mha::random_call(++seed, one);
      add_mask(call, mask);
      see(call);
    }
  }
}

}  // namespace

TEST_CASE("every known attention is predicted as the gallery computes it") {
  Index compared = 0;
  for (const Variation& one : diagnose::variations()) {
    if (one.reread || one.adds_input) continue;
    CAPTURE(one.name);
    for_each_call([&](const Call& call) {
      CAPTURE(call.q.rows());
      CAPTURE(call.k.rows());
      Numbers expected;
      try {
        expected = gallery::with(one.steps, one.rewrite)(call).output;
      } catch (const std::invalid_argument&) {
        return;  // it refuses these masks
      }
      const Reading reading = reading_of(call);
      Predictor predictor(reading);
      const Numbers got =
          predictor.predict(*diagnose::combine({&one}), every_row(reading))
              .output;
      // 16 bits are added up in an order that depends on the sizes.
      CHECK(apart(got, expected) <= (one.coarse ? 0.02 : 1e-12));
      ++compared;
    });
  }
  CHECK(compared > 1200);
}

TEST_CASE("some rows and columns are predicted as all of them are") {
  for (const Variation& one : diagnose::variations()) {
    if (one.reread || one.adds_input || one.coarse) continue;
    CAPTURE(one.name);
    for_each_call([&](const Call& call) {
      const Reading reading = reading_of(call);
      Predictor predictor(reading);
      const Hypothesis hypothesis = *diagnose::combine({&one});
      Probe some;
      for (Index row = reading.output.rows() - 1; row >= 0; row -= 3) {
        some.rows.push_back(row);
      }
      some.columns = {reading.output.cols() - 1, 0};
      try {
        const Numbers all =
            predictor.predict(hypothesis, every_row(reading)).output;
        const Numbers few = predictor.predict(hypothesis, some).output;
        Numbers expected(few.rows(), 2);
        for (Index i = 0; i < few.rows(); ++i) {
          const Index row = some.rows[static_cast<std::size_t>(i)];
          expected(i, 0) = all(row, all.cols() - 1);
          expected(i, 1) = all(row, 0);
        }
        CHECK(apart(few, expected) <= 1e-12);
      } catch (const std::invalid_argument&) {
      }
    });
  }
}

TEST_CASE("a layer is predicted as the layer of chapter 2 computes it") {
  mha::TorchGenerator generator(3);
  const auto draw = [&](Index rows, Index cols) -> Numbers {
    return generator.normal(rows, cols).cast<double>();
  };
  diagnose::Weights w = {draw(5, 6), draw(5, 6), draw(5, 6), draw(6, 5),
                         draw(1, 6), draw(1, 6), draw(1, 6), draw(1, 5)};
  Reading reading;
  reading.layer = true;
  reading.weights = w;
  reading.t_q = 4;
  reading.t_k = 7;
  reading.call.batch = reading.call.kv_batch = 2;
  reading.call.n_heads = reading.call.n_kv_heads = 3;
  reading.x_q = draw(8, 5);
  reading.x_kv = draw(14, 5);
  reading.call.q.resize(8, 6);
  reading.call.k.resize(14, 6);
  reading.call.options.causal = mha::Causal::bottom_right;
  reading.output.resize(8, 5);
  Predictor predictor(reading);
  const Numbers got = predictor.predict({}, every_row(reading)).output;
  const mha::MultiHeadAttention<double> layer(w, 3);
  for (Index b = 0; b < 2; ++b) {
    const Numbers keys = reading.x_kv.middleRows(7 * b, 7);
    const Numbers expected =
        layer.forward(reading.x_q.middleRows(4 * b, 4), keys, keys,
                      reading.call.options).output;
    CHECK(apart(got.middleRows(4 * b, 4), expected) <= 1e-12);
  }
}
