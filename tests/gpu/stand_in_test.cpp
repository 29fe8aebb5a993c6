// What only the stand-in can show: what the compiled kernels ask of memory, in
// any order of threads, and what the program does without a card, with an old
// one, a full one, and after a fault.
#include "cuda_stand_in.hpp"

#include "clean_kernels.hpp"
#include "gpu_speed.hpp"
#include "gpu_cases.hpp"
#include "kernels_on_gpu.hpp"
#include "on_cpu.hpp"

#include "device/gpu_state.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <regex>
#include <unistd.h>

namespace {

using cuda_port::Index;
using cuda_port::Sizes;
using cuda_port::Step;

// A card for one test.
class Inserted {
 public:
  explicit Inserted(const stand_in::Card& card = {}) { stand_in::insert(card); }
  ~Inserted() { stand_in::insert({}); }
  Inserted(const Inserted&) = delete;
  Inserted& operator=(const Inserted&) = delete;
};

const cuda_port::KernelCase& case_on_gpu(const std::string& name) {
  static const std::vector<cuda_port::KernelCase> cases =
      on_gpu::kernel_cases();
  for (const cuda_port::KernelCase& one : cases) {
    if (one.name == name) return one;
  }
  FAIL("there is no such kernel: ", name);
  return cases.front();
}

// Everything that is printed while something runs.
template <class Call>
std::string printed(const Call& call) {
  std::fflush(stdout);
  std::FILE* const file = std::tmpfile();
  const int before = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  const std::string error = refusal(call);
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    text += static_cast<char>(c);
  }
  std::fclose(file);
  CHECK(error == "");
  return text;
}

}  // namespace

TEST_CASE("no order of the threads changes what a compiled kernel computes") {
  const Sizes s = sizes(33, 2, 1, 20);
  for (const Step& step : on_gpu::ladder()) {
    const cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
    const std::vector<float> in_order = on_gpu::attend(step, s, arrays);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Inserted card({.seed = seed});
      CHECK_MESSAGE(on_gpu::attend(step, s, arrays) == in_order, step.name,
                    ", seed ", seed);
    }
  }
}

TEST_CASE("compiled kernels move the bytes that the CPU device counts") {
  Sizes causal = sizes(70, 4, 2, 32);
  causal.causal = true;
  causal.batch = 2;
  for (const Sizes& s : {sizes(64, 4, 2, 64), sizes(45, 2, 1, 20), causal}) {
    for (const Step& step : on_gpu::ladder()) {
      const cuda_port::Arrays arrays = cuda_port::random_arrays(step, s, 1);
      const auto counted =
          cuda_port::run_on_cpu(cuda_port::step_named(step.name), s, arrays)
              .report.launches;
      const Inserted card;
      on_gpu::attend(step, s, arrays);
      REQUIRE(stand_in::launches().size() == counted.size());
      for (std::size_t n = 0; n < counted.size(); ++n) {
        const ptx::Asked& asked = stand_in::launches()[n];
        CAPTURE(asked.kernel);
        CAPTURE(s.queries);
        CHECK(asked.global.bytes_loaded == counted[n].global.bytes_loaded);
        CHECK(asked.global.bytes_stored == counted[n].global.bytes_stored);
        CHECK(asked.global.load_segments == counted[n].global.load_segments);
        CHECK(asked.global.store_segments == counted[n].global.store_segments);
        // Now and then nvcc keeps a number of shared memory in a register.
        CHECK(asked.shared.bank_passes <= counted[n].shared.bank_passes);
        CHECK(7 * asked.shared.bank_passes >=
              6 * counted[n].shared.bank_passes);
        CHECK(asked.barriers == counted[n].barriers);
      }
    }
  }
}

TEST_CASE("nothing is left in the card's memory") {
  const Inserted card;
  const Sizes s = sizes(8, 2, 1, 8);
  for (const Step& step : on_gpu::ladder()) {
    on_gpu::attend(step, s, cuda_port::random_arrays(step, s, 1));
  }
  CHECK(stand_in::bytes_held() == 0);
}

TEST_CASE("the program says which card it found, and times every kernel") {
  const Inserted card;
  const std::string text =
      printed([] { cuda_port::print_gpu(sizes(16, 4, 2, 16)); });
  CAPTURE(text);
  CHECK(std::regex_search(text, std::regex("stand-in card: copies \\d+ GB/s, "
                                           "cuBLAS \\d+\\.\\d TFLOP/s\n")));
  for (const Step& step : on_gpu::ladder()) {
    const std::regex row(step.name +
                         " +equal +\\d+\\.\\d{3} +\\d+\\.\\d% +\\d+\\.\\d%\n");
    CHECK_MESSAGE(std::regex_search(text, row), step.name);
  }
  CHECK(text.find("WRONG") == std::string::npos);
  CHECK(stand_in::bytes_held() == 0);
}

TEST_CASE("without a card, without a driver, with an old card it says so") {
  const auto said = [](const stand_in::Card& card) {
    const Inserted inserted(card);
    const std::string why = device::why_no_gpu();
    CHECK(refusal([] { device::limits_of_gpu(); }) == why);
    const std::string text =
        printed([] { cuda_port::print_gpu(sizes(16, 4, 2, 16)); });
    CHECK(text.find("No GPU was found.") != std::string::npos);
    return why;
  };
  CHECK(said({.count = 0}) == "no GPU can be used: CUDA says \"no device\"");
  CHECK(said({.driver = false})
            .starts_with("no GPU can be used: there is no "
                         "driver for one"));
  CHECK(said({.capability = 7})
            .starts_with("the stand-in card has compute "
                         "capability 7.0"));
}

TEST_CASE("a full card names the array that has no room") {
  const Inserted card({.memory_bytes = 5000});
  const Sizes s = sizes(16, 2, 1, 16);
  const Step step = on_gpu::ladder().front();
  CHECK(refusal([&] {
          on_gpu::attend(step, s, cuda_port::random_arrays(step, s, 1));
        }) ==
        "out: making room for it failed on the graphics card: "
        "out of memory");
  CHECK(stand_in::bytes_held() == 0);
  // What was refused is not held against the next launch.
  const Sizes small = sizes(4, 2, 1, 4);
  CHECK(refusal([&] {
          on_gpu::attend(step, small, cuda_port::random_arrays(step, small, 1));
        }) == "");
}

TEST_CASE("a fault shows when the results are fetched, and stays") {
  const Inserted card;
  const cuda_port::Problem problem{std::vector<float>(800, 1.0F),
                                   std::vector<float>(1200, 1.0F)};
  CHECK(refusal([&] { case_on_gpu("unguarded-load").run(problem); }) ==
        "out: copying from it failed on the graphics card: illegal memory "
        "access");
  CHECK(std::regex_search(
      stand_in::fault(), std::regex("^broken_kernels\\.cu:\\d+: thread \\d+ of "
                                    "block \\(.*\\): 4 bytes outside of all "
                                    "arrays$")));
  CHECK(refusal([&] { case_on_gpu("right").run(problem); }) ==
        "q: making room for it failed on the graphics card: illegal memory "
        "access");
  CHECK(stand_in::bytes_held() == 0);
}

TEST_CASE("an array that cannot be filled is given back") {
  const Inserted card({.fills = false});
  CHECK(refusal([] { on_gpu::reversed(std::vector<float>(8)); }) ==
        "from: filling it failed on the graphics card: invalid value");
  CHECK(stand_in::bytes_held() == 0);
}
