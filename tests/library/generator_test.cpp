// The generator against numbers recorded from PyTorch, for machines without it.
// Made with PyTorch 1.13.1 on a processor with AVX2, as bit patterns:
//   torch.manual_seed(seed); torch.empty(12).uniform_(-0.3, 0.7)
//   torch.manual_seed(seed); [torch.randn(n) for n in (3, 17, 2)]
// and printed with t.numpy().view(numpy.uint32).
#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace {

using mha::Index;
using mha::Matrix;

template <std::size_t n>
Matrix<float> floats(const std::array<std::uint32_t, n>& bits) {
  Matrix<float> row(1, static_cast<Index>(n));
  std::transform(bits.begin(), bits.end(), row.data(),
                 [](std::uint32_t b) { return std::bit_cast<float>(b); });
  return row;
}

// Units in the last place between two numbers of the same sign.
int units(float a, float b) {
  return std::abs(std::bit_cast<std::int32_t>(a) -
                  std::bit_cast<std::int32_t>(b));
}

Index most_units(const Matrix<float>& a, const Matrix<float>& b) {
  Index most = 0;
  for (Index j = 0; j < a.size(); ++j) {
    most = std::max<Index>(most, units(a(0, j), b(0, j)));
  }
  return most;
}

struct Recorded {
  std::uint32_t seed;
  std::array<std::uint32_t, 12> bits;
};

}  // namespace

TEST_CASE("uniform numbers have the bits that PyTorch recorded") {
  const Recorded recorded[] = {
      {0,
       {0x3E48F77C, 0x3EEFBAC4, 0xBE589960, 0xBE2C0034, 0x3BF33B00, 0x3EAB0C5C,
        0x3E42A7D8, 0x3F18B09A, 0x3E1F5CF0, 0x3EAA240C, 0x3D484480,
        0x3DD05128}},
      {1,
       {0x3EEA4EB0, 0xBCA97C40, 0x3DD315F8, 0x3EDE8EF6, 0xBE8A9B9C, 0x3EFFED78,
        0x3DC6EFF0, 0x3EE8A370, 0x3E89FD04, 0x3E0E1BCC, 0x3EAD6786,
        0x3E660ED0}},
      {12345,
       {0x3F2E8515, 0x3F146118, 0x3F313050, 0x3E24EED0, 0xBE5DFCA4, 0xBDF8F920,
        0x3D8A1988, 0x3E890962, 0x3D1A0980, 0xBDB45558, 0x3E234540,
        0x3F03EE34}},
      {4294967295,
       {0x3F319CD6, 0x3E8AE8AA, 0x3E8A3E7E, 0xBE80410C, 0x3F316AE7, 0x3EE062E6,
        0x3EC30812, 0xBCB95A60, 0x3E95CA18, 0x3E9564A6, 0xBDDA1270,
        0xBE356948}}};
  for (const Recorded& r : recorded) {
    CAPTURE(r.seed);
    mha::TorchGenerator generator(r.seed);
    CHECK(
        generator.uniform(3, 4, -0.3F, 0.7F).reshaped<Eigen::RowMajor>(1, 12) ==
        floats(r.bits));
  }
}

TEST_CASE("normal numbers follow what PyTorch recorded, spare and all") {
  mha::TorchGenerator generator(0);
  const Matrix<float> three = generator.normal(1, 3);
  CHECK(most_units(three, floats<3>({0x3FC53F5C, 0xBE963C50, 0xC00B7149})) <=
        1);
  const Matrix<float> seventeen = generator.normal(1, 17);
  CHECK(most_units(seventeen,
                   floats<17>({0xBEB65675, 0xBE217F5F, 0x3FB8C9DB, 0x3E8837A1,
                               0x3E2A7345, 0x3F5FD77D, 0xBE12EACF, 0xBDE4936F,
                               0xBF1D13C8, 0x3FA12737, 0x4000519A, 0x3D5C1B3A,
                               0x3F1E38F6, 0xBED35AD0, 0xBF575006, 0xC0143A08,
                               0xBDD187B9})) <= 3);
  const Matrix<float> two = generator.normal(1, 2);
  CHECK(most_units(two, floats<2>({0x3F1184B6, 0x3F3EDBD9})) <= 1);
}

TEST_CASE("uniform numbers lie between their ends") {
  mha::TorchGenerator generator(9);
  const Matrix<float> u = generator.uniform(100, 100, 0, 1);
  CHECK(u.minCoeff() >= 0);
  CHECK(u.maxCoeff() < 1);
  CHECK(std::abs(u.mean() - 0.5F) < 0.01F);  // three and more sigmas of 0.0029
  // Where floats are sparse, rounding may reach the upper end, as in PyTorch.
  const Matrix<float> sparse = generator.uniform(100, 100, 1e6F, 1e6F + 1);
  CHECK(sparse.minCoeff() >= 1e6F);
  CHECK(sparse.maxCoeff() <= 1e6F + 1);
}

TEST_CASE("normal numbers have mean 0 and variance 1") {
  mha::TorchGenerator generator(10);
  const Matrix<float> n = generator.normal(300, 300);
  CHECK(n.allFinite());
  CHECK(std::abs(n.mean()) < 0.02F);                     // sigma 0.0033
  CHECK(std::abs(n.squaredNorm() / 90000 - 1) < 0.03F);  // sigma 0.0047
}

TEST_CASE("the same seed gives the same numbers, another seed others") {
  mha::TorchGenerator a(5), b(5), c(6);
  const Matrix<float> first = a.normal(4, 9);
  CHECK(first == b.normal(4, 9));
  CHECK(first != c.normal(4, 9));
  CHECK(first != a.normal(4, 9));
}

TEST_CASE("no numbers cost no draws") {
  mha::TorchGenerator a(5), b(5);
  CHECK(a.normal(0, 7).rows() == 0);
  CHECK(a.uniform(3, 0, 0, 1).cols() == 0);
  CHECK(a.normal(2, 2) == b.normal(2, 2));
}

TEST_CASE("whole numbers stay below their bound and take every value") {
  mha::TorchGenerator generator(7);
  std::array<int, 5> count{};
  for (int i = 0; i < 1000; ++i) {
    const Index n = generator.integer(5);
    REQUIRE(n >= 0);
    REQUIRE(n < 5);
    ++count[static_cast<std::size_t>(n)];
  }
  CHECK(*std::min_element(count.begin(), count.end()) > 100);
  CHECK(generator.integer(1) == 0);
}

TEST_CASE("a bound that is no number of choices is refused") {
  mha::TorchGenerator generator(7);
  CHECK_THROWS_WITH_AS(generator.integer(0),
                       "cannot choose from 0 numbers; give 1 to 2147483647",
                       std::invalid_argument);
  CHECK_THROWS_AS(generator.integer(-3), std::invalid_argument);
  CHECK_THROWS_AS(generator.integer(Index{1} << 31), std::invalid_argument);
  CHECK_NOTHROW(generator.integer((Index{1} << 31) - 1));
}
