#include "cases.hpp"
#include "comparing.hpp"
#include "show_case.hpp"

#include "mha/generator.hpp"
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

// [names in claims]
using gallery::Call;
using gallery::Case;
using gallery::Index;
using gallery::Numbers;
using gallery::Verdict;
// [names in claims]

TEST_CASE("the right attention passes every check") {
  const mha::BatteryReport report = mha::check_attention(gallery::with({}));
  CHECK_MESSAGE(report.passed(), report);
  CHECK(report.made() == std::ssize(mha::checks()));
}

TEST_CASE("every wrong attention is caught by the check that its report "
          "names") {
  for (const Case& one : gallery::cases()) {
    if (one.verdict == Verdict::no_bug) continue;
    for (const gallery::Report& report : one.reports) {
      CAPTURE(one.name);
      CHECK(fails(one, report.check));
    }
  }
}

TEST_CASE("a case without a report is caught by at least one check") {
  for (std::size_t i = 0; i < gallery::cases().size(); ++i) {
    const Case& one = gallery::cases()[i];
    if (one.verdict == Verdict::no_bug || !one.reports.empty()) continue;
    CAPTURE(one.name);
    CHECK_FALSE(gallery::battery_on_cases()[i].passed());
  }
}

TEST_CASE("an attention that was accused wrongly passes every check") {
  for (std::size_t i = 0; i < gallery::cases().size(); ++i) {
    if (gallery::cases()[i].verdict != Verdict::no_bug) continue;
    CAPTURE(gallery::cases()[i].name);
    CHECK(gallery::battery_on_cases()[i].passed());
  }
}

TEST_CASE("every check catches something") {
  for (const mha::Check& check : mha::checks()) {
    CAPTURE(check.sentence);
    CHECK(std::any_of(gallery::cases().begin(), gallery::cases().end(),
                      [&](const Case& one) {
                        return one.verdict == Verdict::bug &&
                               fails(one, check.sentence);
                      }));
  }
}

TEST_CASE("the wrong layers give the wrong numbers worked out for them") {
  struct Expected {
    std::string name;
    double column_0[3], column_4[3];
  };
  // Worked out apart from this program, to six decimals.
  for (const Expected& expected : {
           Expected{"transposed-view", {1.391551, 0.236037, 1.662492},
                    {1.043069, 2.110090, 1.731264}},
           Expected{"raw-merge", {1.391551, 1.662492, 2.110090},
                    {0.236037, 1.043069, 1.731264}},
           Expected{"raw-split", {0.193434, 0.144608, 1.779568},
                    {0.606706, 2.355392, 1.879361}},
           Expected{"sqrt-d-model", {1.272207, 0.404789, 1.535122},
                    {1.180454, 1.943694, 1.725595}},
           Expected{"no-scale", {1.700773, 0.027170, 1.875539},
                    {0.707558, 2.412812, 1.642938}}}) {
    const Numbers output =
        gallery::case_named(expected.name)
            .attention()(mha::fixture_call()).output;
    for (int t = 0; t < 3; ++t) {
      CHECK(std::abs(output(t, 0) - expected.column_0[t]) <= 5.1e-7);
      CHECK(std::abs(output(t, 4) - expected.column_4[t]) <= 5.1e-7);
    }
  }
}

TEST_CASE("an interleaved split is the right split of relabelled columns") {
  const Call call = mha::random_call(61, {.t_q = 5, .n_heads = 3, .d_head = 4});
  const auto relabelled = [](const Numbers& rows) {
    Numbers other(rows.rows(), rows.cols());
    for (Index h = 0; h < 3; ++h) {
      for (Index c = 0; c < 4; ++c) other.col(4 * h + c) = rows.col(3 * c + h);
    }
    return other;
  };
  Call other = call;
  other.q = relabelled(call.q);
  other.k = relabelled(call.k);
  other.v = relabelled(call.v);
  CHECK(gallery::case_named("interleaved-heads").attention()(call).output ==
        gallery::attend(other).output);
}

TEST_CASE("a raw merge keeps every number and moves most of them") {
  const Call call = mha::random_call(62, {.t_q = 5, .n_heads = 3, .d_head = 4});
  const Numbers right = gallery::attend(call).output;
  const Numbers wrong =
      gallery::case_named("raw-merge").attention()(call).output;
  CHECK((right.array() != wrong.array()).count() > right.size() / 2);
  std::vector<double> a(right.data(), right.data() + right.size());
  std::vector<double> b(wrong.data(), wrong.data() + wrong.size());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  CHECK(a == b);
}

TEST_CASE("with one head, or with one token, a raw merge is right") {
  for (const Call& call : {mha::random_call(63, {.t_q = 5, .d_head = 4}),
                           mha::random_call(64, {.t_k = 7, .n_heads = 3,
                                                 .d_head = 4})}) {
    CHECK(gallery::case_named("raw-merge").attention()(call).output ==
          gallery::attend(call).output);
  }
}

TEST_CASE("an assignment that overlaps itself needs eval") {
  mha::Matrix<int> m(3, 3), naive(3, 3);
  m << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  naive = m;
  m.bottomRightCorner(2, 2) = m.topLeftCorner(2, 2).eval();
  mha::Matrix<int> expected(2, 2);
  expected << 1, 2, 4, 5;
  CHECK(m.bottomRightCorner(2, 2) == expected);
  // Without eval: the 1 is written over the 5 before the 5 is read.
  naive.bottomRightCorner(2, 2) = naive.topLeftCorner(2, 2);
  CHECK(naive(2, 2) == 1);
}

TEST_CASE("auto keeps a product to be computed, not its result") {
  Numbers a = Numbers::Identity(2, 2);
  const Numbers b = Numbers::Constant(2, 2, 3);
  const auto lazy = a * b;
  const Numbers now = a * b;
  a.setZero();
  const Numbers later = lazy;
  CHECK(now == b);
  CHECK(later == Numbers::Zero(2, 2));
}

TEST_CASE("a scale that is a power of two may be applied early or late, "
          "bit for bit") {
  mha::TorchGenerator generator(65);
  const auto q = generator.normal(7, 64), k = generator.normal(9, 64);
  const auto agree = [&](float divisor) {
    const mha::Matrix<float> scaled = q / divisor;
    const mha::Matrix<float> early = scaled * k.transpose();
    const mha::Matrix<float> product = q * k.transpose();
    const mha::Matrix<float> late = product / divisor;
    return early == late;
  };
  CHECK(agree(8));
  CHECK_FALSE(agree(3));
}

TEST_CASE("in 16 bits the least finite number has no room below it") {
  const auto half = [](float x) { return static_cast<Eigen::half>(x); };
  CHECK(static_cast<float>(half(-65504.0F - 15)) == -65504.0F);
  CHECK(Eigen::numext::isinf(half(-65504.0F - 16)));
  CHECK(Eigen::numext::isinf(half(-1e9F)));
}

TEST_CASE("twice the plain error accepts a right 16-bit layer and refuses a "
          "wrong one") {
  const Call call = mha::random_call(66, {.t_q = 6, .t_k = 40, .d_head = 16});
  const Numbers exact = gallery::attend(call).output;
  using gallery::KeyOrder;
  const Numbers plain =
      gallery::attend_in_half(call, KeyOrder::forward, 0.25);
  const Numbers other =
      gallery::attend_in_half(call, KeyOrder::backward, 0.25);
  const Numbers wrong =
      gallery::attend_in_half(call, KeyOrder::forward, 0.26);
  CHECK(other != plain);
  CHECK(gallery::within_twice_the_plain_error(other, plain, exact));
  CHECK_FALSE(gallery::within_twice_the_plain_error(wrong, plain, exact));
  // The relative error of the right one is a hundred times its bound of 2^-11.
  CHECK(gallery::worst_relative_error(other, exact) > 100 * 0x1p-11);
}

TEST_CASE("a difference folded with fmax does not see NaN") {
  const Numbers right = Numbers::Ones(2, 2);
  const Numbers nan = Numbers::Constant(2, 2, std::nan(""));
  CHECK(gallery::folded_difference(nan, right) == 0);
  CHECK(std::isnan(mha::max_abs_difference(nan, right)));
}
