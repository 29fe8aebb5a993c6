#include "kernel_parts.hpp"
#include "on_cpu.hpp"
#include "traffic.hpp"

#include "mha/generator.hpp"
#include "mha/layer.hpp"
#include "mha/measure.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

// [claims]
using cuda_port::Index;
using cuda_port::Sizes;
using cuda_port::Step;

Sizes sizes(Index tokens, Index heads, Index kv_heads, Index width) {
  return {.batch = 1,
          .heads = heads,
          .kv_heads = kv_heads,
          .queries = tokens,
          .keys = tokens,
          .width = width,
          .causal = false,
          .scale = 1 / std::sqrt(static_cast<float>(width))};
}

// Runs a step and wants it right, with nothing found.
void check_step(const Step& step, const Sizes& s, std::uint64_t seed) {
  const cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
  const cuda_port::Observed seen =
      cuda_port::run_on_cpu(step, s, arrays, seed);
  const double apart = cuda_port::largest_difference(
      seen.output, cuda_port::by_definition(s, arrays));
  CHECK_MESSAGE(apart <= cuda_port::tolerance(step), step.name, ", T = ",
                s.queries, ", ", s.keys, " keys, width ", s.width);
  for (const device::Finding& finding : seen.report.findings) {
    FAIL_CHECK(finding.text);
  }
}
// [claims]

}  // namespace

TEST_CASE("every kernel equals the definition on awkward sizes") {
  for (const Step& step : on_cpu_device::ladder()) {
    for (const Index tokens : {1, 31, 33, 63, 100}) {
      for (const bool causal : {false, true}) {
        Sizes s = sizes(tokens, 4, 2, 20);
        s.causal = causal;
        check_step(step, s, 0);
      }
    }
  }
}

TEST_CASE("every kernel takes 1025 tokens, one more than a power of two") {
  for (const Step& step : on_cpu_device::ladder()) {
    Sizes s = sizes(1025, 1, 1, 4);
    if (step.name == "split keys") s.queries = 3;
    s.causal = true;
    check_step(step, s, 0);
  }
}

TEST_CASE("every kernel takes more keys than queries, items and wide heads") {
  for (const Step& step : on_cpu_device::ladder()) {
    for (const Index width : {1, 7, 64, 128}) {
      Sizes s = sizes(5, 6, 2, width);
      s.batch = 2;
      s.keys = 77;
      s.causal = true;
      check_step(step, s, 3);
    }
  }
}

TEST_CASE("a query that sees no key gets zeros from every kernel") {
  for (const Step& step : on_cpu_device::ladder()) {
    Sizes s = sizes(40, 2, 1, 8);
    s.keys = 3;
    s.causal = true;
    check_step(step, s, 4);
  }
}

TEST_CASE("a NaN in a query is a NaN in its row, and in no other") {
  for (const Step& step : on_cpu_device::ladder()) {
    const Sizes s = sizes(40, 1, 1, 8);
    cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
    arrays.q[7 * 8] = NAN;
    const std::vector<float> got =
        cuda_port::run_on_cpu(step, s, arrays).output;
    for (std::size_t n = 0; n < got.size(); ++n) {
      CHECK_MESSAGE(std::isnan(got[n]) == (n / 8 == 7), step.name);
    }
  }
}

TEST_CASE("no order of the threads changes a kernel's output") {
  for (const Step& step : on_cpu_device::ladder()) {
    const Sizes s = sizes(33, 2, 1, 20);
    const cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
    const std::vector<float> in_order =
        cuda_port::run_on_cpu(step, s, arrays, 0).output;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const cuda_port::Observed seen =
          cuda_port::run_on_cpu(step, s, arrays, seed);
      CHECK_MESSAGE(seen.output == in_order, step.name, ", seed ", seed);
      CHECK(seen.report.findings.empty());
    }
  }
}

TEST_CASE("every kernel gives the output of chapter 2's layer") {
  mha::TorchGenerator generator(0);
  const mha::LayerWeights<float> w = mha::torch_layer_weights(generator, 32);
  const mha::Matrix<float> x = generator.normal(45, 32);
  const mha::MultiHeadAttention<float> layer(w, 4);
  const mha::Matrix<float> wanted = layer.forward(x, x, x).heads;
  const auto numbers = [&](const mha::Matrix<float>& weights) {
    const mha::Matrix<float> y = x * weights;  // the biases are zero
    return std::vector<float>(y.data(), y.data() + y.size());
  };
  const cuda_port::Arrays arrays{numbers(w.w_q), numbers(w.w_k),
                                 numbers(w.w_v)};
  for (const Step& step : on_cpu_device::ladder()) {
    if (step.half_precision) continue;  // rounds what goes in
    const std::vector<float> got =
        cuda_port::run_on_cpu(step, sizes(45, 4, 4, 8), arrays).output;
    const double apart = cuda_port::largest_difference(
        got, {wanted.data(), wanted.data() + wanted.size()});
    CHECK_MESSAGE(apart <= cuda_port::tolerance(step), step.name);
  }
}

TEST_CASE("the counted traffic equals the formula") {
  for (const Sizes& s :
       {sizes(64, 2, 2, 32), sizes(128, 4, 2, 64), sizes(64, 4, 1, 128)}) {
    std::size_t n = 0;
    const auto formula = cuda_port::moved_by_formula(s);
    for (const Step& step : on_cpu_device::ladder()) {
      if (step.name == "split keys") continue;
      const cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
      for (const device::LaunchCounts& launch :
           cuda_port::run_on_cpu(step, s, arrays).report.launches) {
        REQUIRE(n < formula.size());
        CHECK(launch.kernel == formula[n].kernel);
        CHECK_MESSAGE(launch.global.load_segments == formula[n].loaded,
                      launch.kernel);
        CHECK_MESSAGE(launch.global.store_segments == formula[n].stored,
                      launch.kernel);
        ++n;
      }
    }
    CHECK(n == formula.size());
  }
}

TEST_CASE("no request on the tiles waits for a bank") {
  const Sizes s = sizes(64, 2, 2, 64);
  for (const char* name : {"tiles", "fused", "register tiles"}) {
    const Step& step = cuda_port::step_named(name);
    for (const device::LaunchCounts& launch :
         cuda_port::run_on_cpu(step, s, cuda_port::random_arrays(step, s, 1))
             .report.launches) {
      const device::Traffic& t = launch.shared;
      // 32 lanes of 4 bytes are a pass; of 16 bytes, four.
      CHECK_MESSAGE(128 * t.bank_passes == t.bytes_loaded + t.bytes_stored,
                    launch.kernel);
    }
  }
}

TEST_CASE("sharing a block saves keys when it has rows to spare") {
  const auto keys_loaded = [](Index queries, const char* name) {
    Sizes s = sizes(64, 8, 2, 64);
    s.queries = queries;
    const Step& step = cuda_port::step_named(name);
    const Index all =
        cuda_port::run_on_cpu(step, s, cuda_port::random_arrays(step, s, 1))
            .report.launches[0].global.load_segments;
    return all - s.queries * s.heads * s.width / 8;
  };
  CHECK(keys_loaded(16, "register tiles") == 4 * keys_loaded(16, "grouped"));
  CHECK(keys_loaded(64, "register tiles") == keys_loaded(64, "grouped"));
}

TEST_CASE("places are exact far beyond 32 bits") {
  const Sizes s{.batch = 65535,
                .heads = 64,
                .kv_heads = 8,
                .queries = 65536,
                .keys = 65536,
                .width = 128};
  CHECK(on_cpu_device::query_at(s, s.batch - 1, s.queries - 1, s.heads - 1) ==
        35'183'835'217'920 - s.width);
  CHECK(on_cpu_device::key_at(s, s.batch - 1, s.keys - 1, s.kv_heads - 1) ==
        4'397'979'402'240 - s.width);
}

TEST_CASE("sizes that no kernel is made for are refused with the numbers") {
  const auto refusal = [](const Sizes& s) {
    try {
      cuda_port::check_sizes(s);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal(sizes(8, 6, 4, 8)) ==
        "kv_heads = 4 does not divide heads = 6; choose a divisor");
  CHECK(refusal(sizes(8, 2, 2, 129)).starts_with("width = 129"));
  CHECK(refusal(sizes(0, 2, 2, 8)) == "queries = 0, but must be at least 1");
}
