// What kernels are counted to do is what can be worked out by hand.
#include "counted_kernels.hpp"

#include "device/observe.hpp"

#include <doctest/doctest.h>

#include <functional>

namespace {

using device::LaunchCounts;
using device::observe;
using device::Report;

// The only launch, which has no fault, and is counted alike in all orders.
LaunchCounts counted(const std::function<void()>& run) {
  const Report report = observe({}, run);
  REQUIRE(report.launches.size() == 1);
  CHECK(report.findings.empty());
  const LaunchCounts counts = report.launches[0];
  CHECK(counts.requests_exact);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const LaunchCounts other = observe({.seed = seed}, run).launches.at(0);
    CHECK(other.global.load_requests == counts.global.load_requests);
    CHECK(other.global.load_segments == counts.global.load_segments);
    CHECK(other.global.store_segments == counts.global.store_segments);
    CHECK(other.shared.bank_passes == counts.shared.bank_passes);
  }
  return counts;
}

}  // namespace

TEST_CASE("numbers side by side take four segments a request") {
  const LaunchCounts counts = counted(on_cpu_device::count_side_by_side);
  CHECK(counts.kernel == "side_by_side");
  CHECK(counts.blocks == 4);
  CHECK(counts.threads_per_block == 64);
  CHECK(counts.barriers == 0);
  CHECK(counts.static_shared_bytes == 0);
  CHECK(counts.dynamic_shared_bytes == 0);
  CHECK(counts.global.loads == 256);
  CHECK(counts.global.stores == 256);
  CHECK(counts.global.bytes_loaded == 1024);
  CHECK(counts.global.bytes_stored == 1024);
  CHECK(counts.global.load_requests == 8);
  CHECK(counts.global.store_requests == 8);
  CHECK(counts.global.load_segments == 32);
  CHECK(counts.global.store_segments == 32);
  CHECK(counts.shared.loads == 0);
}

TEST_CASE("numbers further apart take more segments") {
  const auto segments = [](int step) {
    return counted([step] { on_cpu_device::count_apart(step); })
        .global.load_segments;
  };
  CHECK(segments(1) == 4);
  CHECK(segments(2) == 8);
  CHECK(segments(4) == 16);
  CHECK(segments(8) == 32);
  CHECK(segments(32) == 32);
  CHECK(counted(on_cpu_device::count_shifted).global.load_segments == 5);
  CHECK(counted(on_cpu_device::count_one_for_all).global.load_segments == 1);
}

TEST_CASE("a vector of four is one access of sixteen bytes") {
  const LaunchCounts counts = counted(on_cpu_device::count_vectors);
  CHECK(counts.global.loads == 32);
  CHECK(counts.global.bytes_loaded == 512);
  CHECK(counts.global.load_requests == 1);
  CHECK(counts.global.load_segments == 16);
  CHECK(counts.global.store_segments == 16);
}

TEST_CASE("a structure copied whole is seen word by word") {
  const LaunchCounts counts = counted(on_cpu_device::count_whole_structures);
  CHECK(counts.global.loads == 96);
  CHECK(counts.global.stores == 96);
  CHECK(counts.global.bytes_loaded == 384);
  CHECK(counts.global.load_requests == 3);
  CHECK(counts.global.load_segments == 36);  // each word: 12 segments
}

TEST_CASE("words in one bank take a pass each") {
  const auto passes = [](int step) {
    const LaunchCounts counts =
        counted([step] { on_cpu_device::count_in_banks(step); });
    CHECK(counts.shared.loads == 32);
    CHECK(counts.shared.stores == 32);
    CHECK(counts.shared.load_requests == 1);
    CHECK(counts.static_shared_bytes == 32 * 33 * 4);
    return counts.shared.bank_passes;  // of the load and the store
  };
  CHECK(passes(1) == 2);
  CHECK(passes(2) == 4);
  CHECK(passes(32) == 64);
  CHECK(passes(33) == 2);
  CHECK(counted(on_cpu_device::count_vectors_in_banks).shared.bank_passes == 8);
}

TEST_CASE("each round of a loop is a request") {
  const LaunchCounts counts = counted(on_cpu_device::count_loop);
  CHECK(counts.global.loads == 320);
  CHECK(counts.global.load_requests == 10);
  CHECK(counts.global.load_segments == 320);
  const LaunchCounts divergent = counted(on_cpu_device::count_divergent);
  CHECK(divergent.global.loads == 31 * 32 / 2);
  CHECK(divergent.global.load_requests == 31);
  CHECK(divergent.global.load_segments == 31);
}

TEST_CASE("an atomic access loads and stores") {
  const LaunchCounts counts = counted(on_cpu_device::count_atomics);
  CHECK(counts.barriers == 2);
  CHECK(counts.shared.loads == 32 + 32);
  CHECK(counts.shared.stores == 2 + 32);
  CHECK(counts.shared.bank_passes == 3);
  CHECK(counts.static_shared_bytes == 8);
}

TEST_CASE("counts and samples belong to lines") {
  const LaunchCounts counts = counted(on_cpu_device::count_side_by_side);
  REQUIRE(counts.lines.size() == 1);
  const device::LineCounts& line = counts.lines[0];
  CHECK(line.at.file == "counted_kernels.cu");
  CHECK(line.global.loads == 256);
  REQUIRE(line.samples.size() == 2);
  const device::Sample& load =
      line.samples[0].writes ? line.samples[1] : line.samples[0];
  const device::Sample& store =
      line.samples[0].writes ? line.samples[0] : line.samples[1];
  CHECK(load.memory == "from");
  CHECK(store.memory == "to");
  CHECK(store.writes);
  CHECK_FALSE(load.shared);
  CHECK(load.bytes == 4);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(load.offsets[lane] == static_cast<std::int64_t>(4 * lane));
  }
  CHECK(counted(on_cpu_device::count_divergent)
            .lines[0]
            .samples[0]
            .offsets[0] == -1);  // lane 0 does no round
}
