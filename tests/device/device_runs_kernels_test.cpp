// Kernels without a fault give the right results in any order of threads.
#include "clean_kernels.hpp"
#include "faulty_kernels.hpp"

#include "device/observe.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace {

std::vector<float> counted(int count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  return numbers;
}

// Runs it in many orders; nothing may be found wrong.
template <class Run>
void in_every_order(const Run& run) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    const device::Report report = device::observe({.seed = seed}, run);
    for (const device::Finding& finding : report.findings) {
      FAIL_CHECK(finding.text);
    }
  }
}

}  // namespace

TEST_CASE("a sum by halving is right in every order of threads") {
  const std::vector<float> numbers = counted(300);
  in_every_order([&] {
    CHECK(on_cpu_device::sum_by_halving(numbers) ==
          std::vector<float>{8256, 24640, 12254});
  });
}

TEST_CASE("a transpose through shared memory is right in every order") {
  const std::vector<float> numbers = counted(20 * 37);
  in_every_order([&] {
    const auto turned = on_cpu_device::transposed(numbers, 20, 37);
    for (std::size_t row = 0; row < 20; ++row) {
      for (std::size_t column = 0; column < 37; ++column) {
        REQUIRE(turned[column * 20 + row] == numbers[row * 37 + column]);
      }
    }
  });
}

TEST_CASE("running sums by shuffles are right in every order") {
  std::vector<int> numbers(200);
  std::iota(numbers.begin(), numbers.end(), 1);
  std::vector<int> sums(200);
  std::partial_sum(numbers.begin(), numbers.end(), sums.begin());
  in_every_order([&] { CHECK(on_cpu_device::running_sums(numbers) == sums); });
}

TEST_CASE("a histogram by atomics is right in every order") {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  in_every_order([&] {
    CHECK(on_cpu_device::histogram(numbers, 7) ==
          std::vector<int>{143, 143, 143, 143, 143, 143, 142});
  });
}

TEST_CASE("a block reverses its numbers through dynamic shared memory") {
  const std::vector<float> numbers = counted(256);
  in_every_order([&] {
    CHECK(on_cpu_device::reversed(numbers) ==
          std::vector<float>(numbers.rbegin(), numbers.rend()));
  });
}

TEST_CASE("bf16 is rounded to the nearest, to even between two") {
  // 8 bits of a float's 24 are kept: steps of 1/128 from 1 to 2.
  const float step = 1.0f / 128;
  const float infinite = INFINITY;
  const std::vector<float> numbers = {
      1.0f + step / 2, 1.0f + step * 1.5f, 1.0f + step * 0.75f, -3.0f,
      3.39e38f,        infinite,           -0.0f,               0x1p-133f};
  in_every_order([&] {
    CHECK(on_cpu_device::rounded(numbers) ==
          std::vector<float>{1.0f, 1.0f + 2 * step, 1.0f + step, -3.0f,
                             0x1.fep127f, infinite, -0.0f, 0x1p-133f});
  });
  CHECK(std::isnan(on_cpu_device::rounded(std::vector<float>(4, NAN))[1]));
}

TEST_CASE("votes and shuffles give each lane what CUDA's guide says") {
  std::vector<int> numbers(64, 0);
  numbers[3] = 1;
  numbers[32] = 5;
  numbers[33] = 7;
  numbers[34] = 9;
  in_every_order([&] {
    CHECK(on_cpu_device::barrier_votes(numbers) ==
          std::vector<int>{1, 0, 4, 7, 1, 0, 5, 5, 9});
  });
  // All of thread 33's warp are for it, and not all of the block.
  std::fill(numbers.begin() + 35, numbers.end(), 11);
  in_every_order([&] {
    CHECK(on_cpu_device::barrier_votes(numbers) ==
          std::vector<int>{1, 0, 33, -1, 1, 1, 5, 5, 9});
  });
  // Nobody is for it.
  in_every_order([&] {
    CHECK(on_cpu_device::barrier_votes(std::vector<int>(64, 0)) ==
          std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 0});
  });
}

TEST_CASE("a thread that waits in a loop for another is waited with") {
  in_every_order([] { on_cpu_device::wait_in_loop_for_neighbour(); });
}

TEST_CASE("sixteen thousand threads pass their barriers") {
  const auto numbers = on_cpu_device::many_barriers(1024, 16, 12);
  CHECK(numbers[0] == 12);
  CHECK(numbers[1023] == 11);
}
