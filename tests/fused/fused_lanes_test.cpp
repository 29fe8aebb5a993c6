// What one vector does: the width that every machine has.
#include "mha/vector_lanes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

float exp2_of(float x) {
  return mha::exp2_below_zero(mha::broadcast(x))[0];
}

}  // namespace

TEST_CASE("exp2 is within 1.5e-7 of itself where its result is a normal "
          "number") {
  double worst = 0;
  for (int n = 0; n <= 1'260'000; ++n) {
    const float x = -static_cast<float>(n) / 10'000.0F;
    const double right = std::exp2(static_cast<double>(x));
    const double error =
        std::abs(static_cast<double>(exp2_of(x)) / right - 1);
    // Written so that a NaN is the worst.
    worst = error <= worst ? worst : error;
  }
  // Half a unit in the last place of the last sum, and a little before it.
  CHECK(worst <= 1.5e-7);
}

TEST_CASE("exp2 is exact at 0, nothing at minus infinity, and keeps NaN") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  CHECK(exp2_of(0.0F) == 1.0F);
  CHECK(exp2_of(-1.0F) == 0.5F);
  CHECK(exp2_of(-126.0F) == std::numeric_limits<float>::min());
  CHECK(exp2_of(-127.0F) == 0.0F);
  CHECK(exp2_of(-1e30F) == 0.0F);
  CHECK(exp2_of(-inf) == 0.0F);
  CHECK(std::isnan(exp2_of(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("a transposed square has its rows where its columns were") {
  mha::Vector rows[mha::lanes];
  for (int i = 0; i < mha::lanes; ++i) {
    for (int j = 0; j < mha::lanes; ++j) {
      rows[i][j] = static_cast<float>(100 * i + j);
    }
  }
  mha::transpose(rows);
  for (int i = 0; i < mha::lanes; ++i) {
    for (int j = 0; j < mha::lanes; ++j) {
      const float got = rows[i][j];  // clang binds no reference to a lane
      CHECK(got == static_cast<float>(100 * j + i));
    }
  }
}
