// The kernels as nvcc compiled them, on a graphics card or what stands in for
// one: every number is compared with one that was made without them.
#include "clean_kernels.hpp"
#include "gpu_cases.hpp"
#include "kernels_on_gpu.hpp"
#include "word_kernels.hpp"
#include "on_cpu.hpp"

#include "mha/generator.hpp"
#include "mha/layer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

using cuda_port::Index;
using cuda_port::Sizes;
using cuda_port::Step;

void check_step(const Step& step, const Sizes& s) {
  const cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
  const double apart = cuda_port::largest_difference(
      on_gpu::attend(step, s, arrays), cuda_port::by_definition(s, arrays));
  CHECK_MESSAGE(apart <= cuda_port::tolerance(step), step.name,
                ", T = ", s.queries, ", ", s.keys, " keys, width ", s.width);
}

// Keys that point away from all queries: the highest score is below zero.
cuda_port::Problem problem(Index queries, Index keys) {
  mha::TorchGenerator generator(8);
  const auto normals = [&](Index rows, float sign) {
    const mha::Matrix<float> all = sign * generator.normal(rows, 8).cwiseAbs();
    return std::vector<float>(all.data(), all.data() + all.size());
  };
  const std::vector<float> q = normals(queries, 1), k = normals(keys, -1);
  return {q, k};
}

double case_difference(const char* name, Index queries, Index keys) {
  const cuda_port::Problem given = problem(queries, keys);
  const auto table = [](const std::vector<float>& numbers) {
    return Eigen::Map<const mha::Matrix<float>>(numbers.data(),
                                                std::ssize(numbers) / 8, 8)
        .cast<double>()
        .eval();
  };
  const Eigen::VectorXd highest =
      (table(given.q) * table(given.k).transpose()).rowwise().maxCoeff();
  for (const cuda_port::KernelCase& one : on_gpu::kernel_cases()) {
    if (one.name != name) continue;
    return cuda_port::largest_difference(
        one.run(given), {highest.data(), highest.data() + highest.size()});
  }
  FAIL("there is no such kernel: ", name);
  return NAN;
}

template <class Number>
std::vector<Number> counted(std::size_t count) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Number{1});
  return numbers;
}

}  // namespace

TEST_CASE("on a card every kernel equals the definition on awkward sizes") {
  for (const Step& step : on_gpu::ladder()) {
    for (const Index tokens : {1, 33, 63, 100}) {
      for (const bool causal : {false, true}) {
        Sizes s = sizes(tokens, 4, 2, 20);
        s.causal = causal;
        check_step(step, s);
      }
    }
  }
}

TEST_CASE("on a card every kernel takes 257 tokens") {
  for (const Step& step : on_gpu::ladder()) {
    Sizes s = sizes(257, 1, 1, 4);
    if (step.name == "split keys") s.queries = 3;
    s.causal = true;
    check_step(step, s);
  }
}

TEST_CASE("on a card every kernel takes more keys, items and wide heads") {
  for (const Step& step : on_gpu::ladder()) {
    for (const Index width : {1, 7, 64, 128}) {
      Sizes s = sizes(5, 6, 2, width);
      s.batch = 2;
      s.keys = 77;
      s.causal = true;
      check_step(step, s);
    }
  }
}

TEST_CASE("on a card a query that sees no key gets zeros") {
  for (const Step& step : on_gpu::ladder()) {
    Sizes s = sizes(40, 2, 1, 8);
    s.keys = 3;
    s.causal = true;
    check_step(step, s);
  }
}

TEST_CASE("on a card a NaN in a query is a NaN in its row, and in no other") {
  for (const Step& step : on_gpu::ladder()) {
    const Sizes s = sizes(40, 1, 1, 8);
    cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
    arrays.q[7 * 8] = NAN;
    const std::vector<float> got = on_gpu::attend(step, s, arrays);
    for (std::size_t n = 0; n < got.size(); ++n) {
      CHECK_MESSAGE(std::isnan(got[n]) == (n / 8 == 7), step.name);
    }
  }
}

TEST_CASE("on a card every kernel gives the output of chapter 2's layer") {
  mha::TorchGenerator generator(0);
  const mha::LayerWeights<float> w = mha::torch_layer_weights(generator, 32);
  const mha::Matrix<float> x = generator.normal(45, 32);
  const mha::Matrix<float> wanted =
      mha::MultiHeadAttention<float>(w, 4).forward(x, x, x).heads;
  const auto numbers = [&](const mha::Matrix<float>& weights) {
    const mha::Matrix<float> y = x * weights;  // the biases are zero
    return std::vector<float>(y.data(), y.data() + y.size());
  };
  const cuda_port::Arrays arrays{numbers(w.w_q), numbers(w.w_k),
                                 numbers(w.w_v)};
  for (const Step& step : on_gpu::ladder()) {
    if (step.half_precision) continue;  // rounds what goes in
    const double apart = cuda_port::largest_difference(
        on_gpu::attend(step, sizes(45, 4, 4, 8), arrays),
        {wanted.data(), wanted.data() + wanted.size()});
    CHECK_MESSAGE(apart <= cuda_port::tolerance(step), step.name);
  }
}

TEST_CASE("on a card the right kernels are right") {
  for (const Index n : {1, 31, 33, 63, 100, 193}) {
    CAPTURE(n);
    for (const char* name : {"right", "scores-by-rows", "scores-by-columns"}) {
      CHECK(case_difference(name, n, n) <= 1e-5);
    }
  }
}

TEST_CASE("on a card two wrong kernels are wrong behind the last whole tile") {
  for (const char* name : {"floor-blocks", "no-tail-mask"}) {
    CHECK(case_difference(name, 192, 192) <= 1e-5);
    CHECK_FALSE(case_difference(name, 193, 193) <= 1e-5);
  }
  // Of less than a tile no block is left.
  CHECK(refusal([] { case_difference("floor-blocks", 31, 31); }) != "");
}

TEST_CASE("a card refuses shared memory over its limit before the launch") {
  const std::string why =
      refusal([] { case_difference("over-the-limit", 100, 150); });
  CHECK_MESSAGE(why.find("over the limits of") != std::string::npos, why);
  CHECK(case_difference("right", 100, 150) <= 1e-5);  // the next one runs
}

TEST_CASE("a card refuses more threads than a block has") {
  const std::string why = refusal([] { on_gpu::many_barriers(1025, 1, 1); });
  CHECK_MESSAGE(why.find("1025") != std::string::npos, why);
}

TEST_CASE("small kernels give on a card what the CPU device gives") {
  const std::vector<float> floats = counted<float>(740);
  const std::vector<int> ints = counted<int>(200);
  CHECK(on_gpu::sum_by_halving(floats) ==
        on_cpu_device::sum_by_halving(floats));
  CHECK(on_gpu::transposed(floats, 20, 37) ==
        on_cpu_device::transposed(floats, 20, 37));
  CHECK(on_gpu::running_sums(ints) == on_cpu_device::running_sums(ints));
  CHECK(on_gpu::histogram(ints, 7) == on_cpu_device::histogram(ints, 7));
  const std::vector<float> some(floats.begin(), floats.begin() + 256);
  CHECK(on_gpu::reversed(some) == on_cpu_device::reversed(some));
  CHECK(on_gpu::many_barriers(96, 3, 10) ==
        on_cpu_device::many_barriers(96, 3, 10));
}

TEST_CASE("every shuffle gives on a card what the CPU device gives") {
  CHECK(on_gpu::all_shuffles() == on_cpu_device::all_shuffles());
}

TEST_CASE("every vote gives on a card what the CPU device gives") {
  std::vector<std::vector<int>> elections{
      std::vector<int>(64, 0), std::vector<int>(64, 3), counted<int>(64)};
  elections[2][40] = 0;
  elections.emplace_back(64, 0)[17] = -1;
  for (const std::vector<int>& numbers : elections) {
    CHECK(on_gpu::all_votes(numbers) == on_cpu_device::all_votes(numbers));
  }
}

TEST_CASE("every atomic leaves on a card what it leaves on the CPU device") {
  CHECK(on_gpu::all_atomics() == on_cpu_device::all_atomics());
  CHECK(on_gpu::all_float_atomics() == on_cpu_device::all_float_atomics());
}

TEST_CASE("extremes and places are on a card what they are on the CPU device") {
  CHECK(on_gpu::all_extremes() == on_cpu_device::all_extremes());
  CHECK(on_gpu::all_indices() == on_cpu_device::all_indices());
}

TEST_CASE("functions give on a card what they give on the CPU device") {
  const std::vector<float> on_card = on_gpu::all_functions();
  const std::vector<float> here = on_cpu_device::all_functions();
  REQUIRE(on_card.size() == here.size());
  for (std::size_t n = 0; n < here.size(); ++n) {
    CAPTURE(n);
    if (std::isnan(here[n])) {
      CHECK(std::isnan(on_card[n]));
    } else if (std::isinf(here[n])) {
      CHECK(on_card[n] == here[n]);
    } else {
      // CUDA C++ Programming Guide, "Mathematical Functions": __expf is within
      // 2 + floor(1.173 |x|) units in the last place, here at most 18.
      CHECK(std::abs(on_card[n] - here[n]) <= 4e-6F * std::abs(here[n]));
    }
  }
}

TEST_CASE("votes and shuffles give on a card what the CPU device gives") {
  for (const int shift : {-200, -30, -50, 0}) {
    std::vector<int> numbers = counted<int>(96);
    for (int& n : numbers) n += shift;
    CHECK(on_gpu::barrier_votes(numbers) ==
          on_cpu_device::barrier_votes(numbers));
  }
}

TEST_CASE("bf16 is rounded on a card as on the CPU device") {
  std::vector<float> numbers = counted<float>(128);
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    numbers[n] = std::ldexp(1 + numbers[n] / 512, static_cast<int>(n) - 64);
  }
  CHECK(on_gpu::rounded(numbers) == on_cpu_device::rounded(numbers));
}
