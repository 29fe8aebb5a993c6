// Every fault in barriers, shuffles and launches is named, in any order of
// threads.
#include "commented_lines.hpp"
#include "faulty_kernels.hpp"

#include "device/gpu_state.hpp"
#include "device/observe.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace {

using device::Finding;
using device::FindingKind;
using device::observe;
using device::Report;

constexpr std::uint64_t n_seeds = 24;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Runs it in many orders: each time this one thing is found, at the line where
// the comment stands.
template <class Run>
void always_finds(FindingKind kind, const std::string& kernel,
                  const std::string& comment, const Run& run) {
  const int line = line_with(FAULTY_KERNELS_FILE, comment);
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    CAPTURE(seed);
    const Report report = observe({.seed = seed}, run);
    REQUIRE(report.findings.size() == 1);
    const Finding& finding = report.findings[0];
    CAPTURE(finding.text);
    CHECK(finding.kind == kind);
    CHECK(finding.kernel == kernel);
    CHECK(finding.actors[0].at.file == "faulty_kernels.cu");
    bool there = false;
    for (const device::Actor& actor : finding.actors) {
      there = there || actor.at.line == line;
    }
    CHECK(there);
    CHECK(has(finding.text, kernel + ": "));
    CHECK(has(finding.text, "faulty_kernels.cu:" + std::to_string(line)));
  }
}

}  // namespace

TEST_CASE("a barrier that some threads never reach is named") {
  always_finds(FindingKind::barrier_not_reached, "early_return", "not reached",
               [] { on_cpu_device::leave_before_barrier(64, 40); });
  always_finds(FindingKind::barrier_not_reached, "early_return", "not reached",
               [] { on_cpu_device::leave_before_barrier(1024, 1023); });
}

TEST_CASE("a barrier that all threads reach is no fault") {
  const Report report =
      observe({}, [] { on_cpu_device::leave_before_barrier(64, 64); });
  CHECK(report.findings.empty());
}

TEST_CASE("different barriers in the branches of an if are named") {
  always_finds(FindingKind::different_barriers, "two_barriers",
               "the first of two",
               [] { on_cpu_device::wait_at_different_barriers(); });
  always_finds(FindingKind::different_barriers, "two_barriers",
               "the second of two",
               [] { on_cpu_device::wait_at_different_barriers(); });
}

TEST_CASE("a lane that waits elsewhere is named by those that wait for it") {
  always_finds(FindingKind::warp_barrier, "warp_and_block", "waits for lane 8",
               [] { on_cpu_device::wait_for_lane_at_block_barrier(); });
  always_finds(FindingKind::warp_barrier, "warp_and_block", "lane 8 is here",
               [] { on_cpu_device::wait_for_lane_at_block_barrier(); });
}

TEST_CASE("lanes that name different masks are named") {
  always_finds(FindingKind::warp_barrier, "two_masks", "two masks",
               [] { on_cpu_device::wait_with_different_masks(); });
}

TEST_CASE("a lane that its own mask leaves out is named") {
  always_finds(FindingKind::warp_barrier, "not_in_mask", "lanes 16 to 31 too",
               [] { on_cpu_device::shuffle_outside_of_mask(); });
}

TEST_CASE("a value taken from a lane that has ended is named") {
  always_finds(FindingKind::warp_barrier, "from_ended", "lane 20 has ended",
               [] { on_cpu_device::shuffle_from_ended_lane(); });
}

TEST_CASE("a value taken from a lane outside of the mask is named") {
  always_finds(FindingKind::warp_barrier, "from_unnamed",
               "the other half's value",
               [] { on_cpu_device::shuffle_from_unnamed_lane(); });
}

TEST_CASE("shuffles at two lines do not exchange values") {
  always_finds(FindingKind::warp_barrier, "two_shuffles", "one shuffle",
               [] { on_cpu_device::shuffle_at_two_lines(); });
}

TEST_CASE("a shuffle in parts that do not fill a warp is named") {
  for (const int width : {0, -8, 3, 64}) {
    always_finds(FindingKind::warp_barrier, "odd_parts", "in odd parts",
                 [&] { on_cpu_device::shuffle_in_parts_of(width); });
  }
  CHECK(observe({}, [] {
          on_cpu_device::shuffle_in_parts_of(16);
        }).findings.empty());
}

TEST_CASE("a warp barrier does not wait for lanes that have ended") {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    const Report report = observe(
        {.seed = seed}, [] { on_cpu_device::wait_in_warp_and_end(); });
    CHECK(report.findings.empty());
  }
}

TEST_CASE("a launch ends at the block that has the fault") {
  int begun = 0;
  const Report report =
      observe({}, [&] { on_cpu_device::fault_in_second_block(&begun); });
  CHECK(begun == 2);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].actors[0].block == 1);
}

TEST_CASE("what follows a fault runs as if nothing had been") {
  for (int time = 0; time < 50; ++time) {
    const Report report = observe({.seed = 5}, [] {
      on_cpu_device::wait_with_different_masks();
      on_cpu_device::wait_at_different_barriers();
      on_cpu_device::leave_before_barrier(64, 40);
      on_cpu_device::leave_before_barrier(64, 40);
      on_cpu_device::leave_before_barrier(64, 64);
    });
    REQUIRE(report.findings.size() == 3);
    CHECK(report.findings[2].count == 2);
  }
}

TEST_CASE("a launch over a limit does not run and says both numbers") {
  const auto text = [](const device::LaunchShape& shape,
                       const device::LaunchLimits& limits) {
    const Report report = observe(
        {.limits = limits}, [&] { on_cpu_device::empty_launch(shape); });
    if (report.findings.empty()) return std::string("nothing");
    CHECK(report.findings[0].kind == FindingKind::launch_over_limit);
    CHECK(report.findings[0].actors[0].at.line ==
          line_with(FAULTY_KERNELS_FILE, "over the limit"));
    return report.findings[0].text;
  };
  const auto sm_80 = device::limits_of_sm_80();
  const auto sm_90 = device::limits_of_sm_90();
  CHECK(text({1, {32, 32}}, sm_80) == "nothing");
  CHECK(text({1, 32, 163 * 1024}, sm_80) == "nothing");
  CHECK(text({1, 32, 227 * 1024}, sm_90) == "nothing");
  CHECK(has(text({1, 32, 163 * 1024 + 1}, sm_80), "166913"));
  CHECK(has(text({1, 32, 227 * 1024 + 1}, sm_90), "232448"));
  CHECK(has(text({1, {32, 33}}, sm_80), "1056 threads"));
  CHECK(has(text({1, {1, 1, 65}}, sm_80), "block's z is 65"));
  CHECK(has(text({{1, 65536}, 1}, sm_80), "grid's y is 65536"));
  CHECK(has(text({{1, 1, 65536}, 1}, sm_80), "grid's z is 65536"));
  CHECK(has(text({{std::int64_t{1} << 31}, 1}, sm_80),
            "grid's x is 2147483648"));
  CHECK(has(text({0, 32}, sm_80), "grid's x is 0"));
  CHECK(has(text({1, 32, std::size_t(-1)}, sm_80),
            std::to_string(std::size_t(-1))));
}

TEST_CASE("static and dynamic shared memory are over the limit together") {
  const auto text = [](std::size_t dynamic_bytes,
                       const device::LaunchLimits& limits) {
    const Report report = observe({.limits = limits}, [&] {
      on_cpu_device::share_both_ways(dynamic_bytes);
    });
    if (report.findings.empty()) return std::string("nothing");
    CHECK(report.findings.size() == 1);
    CHECK(report.findings[0].kind == FindingKind::launch_over_limit);
    CHECK(report.findings[0].actors[0].at.line ==
          line_with(FAULTY_KERNELS_FILE, "both kinds"));
    return report.findings[0].text;
  };
  auto limits = device::limits_of_sm_80();
  CHECK(text(159 * 1024, limits) == "nothing");
  CHECK(has(text(159 * 1024 + 4, limits),
            "4096 bytes of static and 162820 of dynamic shared memory, and a "
            "block may have 166912 in all"));
  limits.static_bytes = 4096;
  CHECK(text(1024, limits) == "nothing");
  limits.static_bytes = 4095;
  CHECK(has(text(1024, limits), "4096 bytes of static shared memory, and a "
                                "kernel may have 4095"));
}

TEST_CASE("outside of observe a fault is an exception that says it") {
  try {
    on_cpu_device::wait_at_different_barriers();
    FAIL("no exception");
  } catch (const std::runtime_error& error) {
    CHECK(has(error.what(), "two_barriers: "));
  }
  CHECK_THROWS_WITH_AS(
      on_cpu_device::empty_launch({1, 2048}),
      doctest::Contains("the block's x is 2048, and must be from 1 to 1024"),
      std::runtime_error);
  // And the next launch runs.
  on_cpu_device::leave_before_barrier(64, 64);
}

TEST_CASE("observe refuses to be called from within itself") {
  CHECK_THROWS_WITH_AS(observe({}, [] { observe({}, [] {}); }),
                       "observe was called while another observes",
                       std::logic_error);
  CHECK(observe({}, [] {}).findings.empty());
}

TEST_CASE("a stack of an impossible size is refused") {
  const auto with_stack = [](std::size_t bytes) {
    observe({.stack_bytes = bytes},
            [] { on_cpu_device::leave_before_barrier(64, 64); });
  };
  CHECK_THROWS_AS(with_stack(100), std::invalid_argument);
  CHECK_THROWS_AS(with_stack(std::size_t(-1) / 4), std::invalid_argument);
  with_stack(16 * 1024 + 1);
}

void outgrow_a_stack_of(std::size_t bytes) {
  observe({.stack_bytes = bytes},
          [] { on_cpu_device::call_itself_without_end(); });
}

#ifdef __EMSCRIPTEN__
// There is no other process in a page: tests/page/device.test.mjs runs this
// one alone, and reads what the program says.
TEST_CASE("outgrow a stack" * doctest::skip()) { outgrow_a_stack_of(65536); }
#else
// What a program says that runs this, and its exit status after a comma.
template <class Run>
std::string in_another_process(const Run& run) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    run();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 256> piece{};
  for (ssize_t n = 0; (n = read(ends[0], piece.data(), piece.size())) > 0;) {
    said.append(piece.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return said + ", " + std::to_string(WEXITSTATUS(status));
}

TEST_CASE("a thread that outgrows its stack ends the program with one line") {
  const auto deep = [] { on_cpu_device::call_itself_without_end(); };
  const int place = line_with(FAULTY_KERNELS_FILE, "too deep");
  const std::string line = "without_end (faulty_kernels.cu:" +
                           std::to_string(place) +
                           "): a thread needs more stack than the ";
  CHECK(in_another_process(deep) == line + "131072 bytes it has\n, 1");
  CHECK(in_another_process([] { outgrow_a_stack_of(65536); }) ==
        line + "65536 bytes it has\n, 1");
}
#endif

TEST_CASE("threads take turns in the middle in some order, and lose a count") {
  int least = 256;
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    observe({.seed = seed}, [&] {
      least = std::min(least, on_cpu_device::spread_of_unguarded_counter());
    });
  }
  CHECK(least < 256);
}

TEST_CASE("without a GPU there is a reason, with one there are its limits") {
  const std::string why = device::why_no_gpu();
  if (why.empty()) {
    CHECK(device::limits_of_gpu().block_threads >= 1024);
  } else {
    CHECK_THROWS_WITH_AS(device::limits_of_gpu(), why.c_str(),
                         std::runtime_error);
  }
}
