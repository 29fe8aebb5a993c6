#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "my_attention.hpp"

#include <doctest/doctest.h>

namespace {

// A softmax that does not treat infinite scores apart.
mha::Abilities abilities() {
  mha::Abilities can = mha::pointer_abilities<float>();
  can.infinite_scores = false;
  return can;
}

mha::BatteryReport report_on(const mha::FloatAttention& attention) {
  return mha::check_attention(
      mha::from_pointers(attention, mha::PointerLayout::batch_head_token),
      abilities());
}

}  // namespace

TEST_CASE("my attention passes the battery") {
  const mha::BatteryReport report = report_on(my_attention);
  CHECK_MESSAGE(report.passed(), report);
  CHECK(report.made() > 10);
}

TEST_CASE("the wrong one is told what is wrong, on the smallest input") {
  const mha::BatteryReport report = report_on(my_wrong_attention);
  CHECK_FALSE(report.passed());
  const auto& first = report.results.front();
  CHECK(first.sentence ==
        "it equals the loop over heads, with sizes that all differ");
  REQUIRE(first.fault.has_value());
  CHECK(first.fault->sizes.n_kv_heads == 2);
  CHECK(first.fault->sizes.t_k == 2);
}
