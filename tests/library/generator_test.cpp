// The generator against numbers recorded from PyTorch, for machines without it.
// Made with PyTorch 1.13.1 on a processor with AVX2, as bit patterns:
//   torch.manual_seed(seed); torch.empty(12).uniform_(-0.3, 0.45)
//   torch.manual_seed(seed); [torch.randn(n) for n in (3, 17, 2, 16)]
// and printed with t.numpy().view(numpy.uint32).
#include "mha/generator.hpp"
#include "mha/layer.hpp"

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
       {0x3D93D9A0, 0x3E8D65AC, 0xBE6F3FD5, 0xBE4DCCF4, 0xBD8E32D6, 0x3E33C5BD,
        0x3D8A622A, 0x3EBEA280, 0x3D2AE39C, 0x3E326945, 0xBD1CFFD4,
        0x3AA8D100}},
      {1,
       {0x3E89549E, 0xBDB960E6, 0x3B16DC00, 0x3E8084D2, 0xBE8E5B1C, 0x3E998BB4,
        0xBB0CB4C0, 0x3E88142E, 0x3E022EB9, 0x3CEE4060, 0x3E374E7C,
        0x3DBF7C9E}},
      {12345,
       {0x3EDF6139, 0x3EB82B3E, 0x3EE36212, 0x3D3B993C, 0xBE734A48, 0xBE2A2A39,
        0xBCC819D0, 0x3E00C146, 0xBD3FAC14, 0xBE106CCE, 0x3D369C8C,
        0x3E9F7EE8}},
      {4294967295,
       {0x3EE404DA, 0x3E039032, 0x3E0290F0, 0xBE869730, 0x3EE3B9F4, 0x3E81E3C6,
        0x3E57BF4E, 0xBDBC5A8C, 0x3E13E257, 0x3E134A2C, 0xBE1E93B7,
        0xBE54DBC3}}};
  for (const Recorded& r : recorded) {
    CAPTURE(r.seed);
    mha::TorchGenerator generator(r.seed);
    CHECK(generator.uniform(3, 4, -0.3F, 0.45F)
              .reshaped<Eigen::RowMajor>(1, 12) == floats(r.bits));
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
  const Matrix<float> sixteen = generator.normal(1, 16);
  CHECK(most_units(
            sixteen,
            floats<16>({0xBF2DC250, 0x3F7031DB, 0x3EFA4D25, 0xBF2C4F9F,
                        0x3F5F71DE, 0x3F8715F4, 0x3E361CAA, 0xBE6BDD10,
                        0xBE9D0855, 0xBFCA5E02, 0x3FDA734A, 0xBEE47694,
                        0x3F3E7824, 0x3FC2AF75, 0x405A45AD, 0xBFC3FDD9})) <= 3);
}

// torch.manual_seed(0); m = torch.nn.MultiheadAttention(8, 4), then
// m.out_proj.weight[0], m.in_proj_weight[0] and m.in_proj_weight[23].
TEST_CASE("a fresh layer has the bits that PyTorch recorded") {
  mha::TorchGenerator generator(0);
  const auto w = mha::torch_layer_weights(generator, 8);
  CHECK(w.w_o.col(0).transpose() ==
        floats<8>({0xBB2D7922, 0x3E42369C, 0xBE94FCB1, 0xBE85381D, 0xBE0B70D6,
                   0x3DC22AAB, 0xBBE58A57, 0x3E8F8740}));
  CHECK(w.w_q.col(0).transpose() ==
        floats<8>({0x3E2E4337, 0x3EB7B104, 0x3EC0ED59, 0x3EC39EE6, 0x3DB07CF3,
                   0xBEC0C9E5, 0x3D2328E4, 0xBE8AB2C2}));
  CHECK(w.w_v.col(7).transpose() ==
        floats<8>({0xBEDBBD75, 0x3E48267D, 0xBE54F38A, 0xBE93F375, 0xBE7F723D,
                   0x3E7EF03A, 0x3E6AD0CC, 0x3EAA2959}));
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
