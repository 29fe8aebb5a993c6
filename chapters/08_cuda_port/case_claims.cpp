#include "on_cpu.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

// [case claims]
using cuda_port::KernelCase;
using device::FindingKind;

// Whether every one of 20 schedules gives a finding of this kind.
bool always_found(const char* name, FindingKind kind) {
  const KernelCase& one = cuda_port::case_named(name);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto found = cuda_port::run_case(one, 100, 150, seed).findings;
    if (std::none_of(found.begin(), found.end(),
                     [&](const auto& f) { return f.kind == kind; })) {
      return false;
    }
  }
  return true;
}
// [case claims]

}  // namespace

TEST_CASE("the right kernel is right, and nothing is found, in any order") {
  for (const char* name : {"right", "scores-by-rows"}) {
    const KernelCase& one = cuda_port::case_named(name);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const cuda_port::CaseResult result =
          cuda_port::run_case(one, 100, 150, seed);
      CHECK(result.findings.empty());
      CHECK(result.difference <= 1e-5);
    }
  }
}

TEST_CASE("every wrong kernel is caught, and the right ones pass") {
  for (const KernelCase& one : on_cpu_device::kernel_cases()) {
    const bool right = one.symptom == "none";
    CHECK_MESSAGE(cuda_port::fault_of(one).empty() == right, one.name);
  }
}

TEST_CASE("a barrier left out is a race, whatever the order of the threads") {
  CHECK(always_found("no-first-barrier", FindingKind::shared_race));
  CHECK(always_found("no-second-barrier", FindingKind::shared_race));
}

TEST_CASE("a barrier that only some threads reach is named") {
  CHECK(always_found("return-before-barrier",
                     FindingKind::barrier_not_reached));
  CHECK(always_found("barrier-in-branch", FindingKind::different_barriers));
  CHECK(always_found("two-barriers", FindingKind::different_barriers));
  CHECK(always_found("shuffle-in-branch", FindingKind::warp_barrier));
}

TEST_CASE("shared memory over the limit is refused before the launch") {
  const cuda_port::CaseResult result = cuda_port::run_case(
      cuda_port::case_named("over-the-limit"), 100, 150, 0);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].kind == FindingKind::launch_over_limit);
}

TEST_CASE("blocks rounded down, or no mask on the tail, give wrong numbers") {
  for (const char* name : {"floor-blocks", "no-tail-mask"}) {
    const KernelCase& one = cuda_port::case_named(name);
    for (const cuda_port::Index n : {1, 31, 33, 63, 100, 192 + 1, 1025}) {
      CHECK_FALSE(cuda_port::run_case(one, n, n, 0).difference <= 1e-5);
    }
    CHECK(cuda_port::run_case(one, 192, 192, 0).difference <= 1e-5);
  }
}

TEST_CASE("another order is right, and stores in eight times the segments") {
  const auto of = [](const char* name) {
    return cuda_port::run_case(cuda_port::case_named(name), 64, 64, 0);
  };
  CHECK(of("scores-by-rows").difference <= 1e-5);
  CHECK(of("scores-by-columns").difference <= 1e-5);
  CHECK(of("scores-by-rows").segments == 4);
  CHECK(of("scores-by-columns").segments == 32);
}

TEST_CASE("half the threads leave half the tile unwritten") {
  CHECK(always_found("too-few-threads", FindingKind::uninitialised_read));
}

TEST_CASE("a load without a guard reads past the end") {
  CHECK(always_found("unguarded-load", FindingKind::out_of_range));
}

TEST_CASE("threads that write one number without an atomic race") {
  CHECK(always_found("one-for-all", FindingKind::global_race));
}
