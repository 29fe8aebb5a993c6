// Requests that are put together from runs of equal steps are those that a
// direct count gives.
#include "device/request_counts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace {

using device::LaneAccess;
using device::PackedAccess;
using device::RequestCounts;
using device::SiteCounts;
using device::Traffic;
using device::WarpRequest;

// Each lane `bytes` wide, `stride` bytes from the last one.
WarpRequest strided(std::uintptr_t first, std::size_t bytes,
                    std::uintptr_t stride, bool shared) {
  WarpRequest request;
  for (int lane = 0; lane < 32; ++lane) {
    request.add({lane, PackedAccess(
                           first + static_cast<std::uintptr_t>(lane) * stride,
                           bytes, shared)});
  }
  return request;
}

std::int64_t segments(std::uintptr_t first, std::size_t bytes,
                      std::uintptr_t stride) {
  return device::segments_of(strided(first, bytes, stride, false));
}

std::int64_t passes(std::size_t bytes, std::uintptr_t stride) {
  return device::bank_passes_of(strided(4096, bytes, stride, true));
}

// One at a time, with sets.
Traffic counted_directly(const std::vector<std::vector<PackedAccess>>& lanes) {
  Traffic traffic;
  for (std::size_t k = 0;; ++k) {
    std::map<std::int64_t, std::set<std::uint64_t>> segments;  // by width
    for (const std::vector<PackedAccess>& lane : lanes) {
      if (k >= lane.size()) continue;
      segments[lane[k].bytes()].insert(lane[k].at() / 32);
      ++traffic.loads;
      traffic.bytes_loaded += lane[k].bytes();
    }
    if (segments.empty()) return traffic;
    for (const auto& [bytes, numbers] : segments) {
      ++traffic.load_requests;
      traffic.load_segments += static_cast<std::int64_t>(numbers.size());
    }
  }
}

}  // namespace

TEST_CASE("a warp touches as many segments as its addresses lie in") {
  CHECK(segments(4096, 4, 4) == 4);     // side by side
  CHECK(segments(4100, 4, 4) == 5);     // and misaligned
  CHECK(segments(4096, 4, 8) == 8);     // every second number
  CHECK(segments(4096, 4, 128) == 32);  // a column of rows of 32
  CHECK(segments(4096, 4, 0) == 1);     // all the same
  CHECK(segments(4096, 2, 2) == 2);     // half precision
  CHECK(segments(4096, 16, 16) == 16);  // vectors of 4
  CHECK(segments(4096, 16, 256) == 32);
}

TEST_CASE("banks give one word a pass, to any number of lanes") {
  CHECK(passes(4, 4) == 1);        // each its bank
  CHECK(passes(4, 0) == 1);        // all one word
  CHECK(passes(4, 8) == 2);        // every second bank
  CHECK(passes(4, 16) == 4);
  CHECK(passes(4, 4 * 32) == 32);  // all one bank
  CHECK(passes(4, 4 * 33) == 1);   // rows of 33
  CHECK(passes(4, 4 * 17) == 1);
  CHECK(passes(2, 2) == 1);        // two halves are one word
  CHECK(passes(8, 8) == 2);        // two half-warps
  CHECK(passes(8, 16) == 4);
  CHECK(passes(16, 16) == 4);      // four quarters
  CHECK(passes(16, 32) == 8);
  CHECK(passes(16, 0) == 4);
}

TEST_CASE("a request has the lanes that take part") {
  WarpRequest two;
  two.add({3, PackedAccess(4096, 16, true)});
  two.add({4, PackedAccess(8192, 16, true)});
  CHECK(device::bank_passes_of(two) == 2);  // the same banks, one quarter
  WarpRequest far_apart;
  far_apart.add({3, PackedAccess(4096, 16, true)});
  far_apart.add({30, PackedAccess(4112, 16, true)});
  CHECK(device::bank_passes_of(far_apart) == 2);  // two quarters
}

TEST_CASE("runs of equal steps give the counts that single accesses give") {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto regular = random() % 3;
    RequestCounts requests;
    requests.launch_begins(32 + 7);
    SiteCounts site;
    std::vector<std::vector<PackedAccess>> lanes(32);
    for (int thread = 0; thread < 32; ++thread) {
      std::uintptr_t at = 4096 + 4 * (random() % 64);
      for (auto loop = random() % 5; loop > 0; --loop) {
        const std::uintptr_t stride =
            4 * (regular == 0 ? 16 : random() % (regular == 1 ? 3 : 40));
        const std::size_t bytes = random() % 20 == 0 ? 2 : 4;
        for (auto n = random() % 20; n > 0; --n) {
          const PackedAccess access(at, bytes, false);
          lanes[static_cast<std::size_t>(thread)].push_back(access);
          requests.record(site, thread, access);
          at += stride;
        }
      }
    }
    requests.warp_is_together(0);
    requests.block_is_together();  // counts nothing twice
    const Traffic direct = counted_directly(lanes);
    CHECK(site.global.loads == direct.loads);
    CHECK(site.global.bytes_loaded == direct.bytes_loaded);
    CHECK(site.global.load_requests == direct.load_requests);
    CHECK(site.global.load_segments == direct.load_segments);
    CHECK(site.global.stores == 0);
    CHECK_FALSE(requests.cut_short());
  }
}

TEST_CASE("memory for requests is bounded, and a cut is told") {
  RequestCounts requests;
  requests.launch_begins(1);
  SiteCounts site;
  std::mt19937 random(1);
  constexpr int accesses = (1 << 23) + 1000;
  for (int i = 0; i < accesses; ++i) {
    requests.record(site, 0, PackedAccess(4 * (random() >> 4), 4, false));
  }
  requests.block_is_together();
  CHECK(requests.cut_short());
  CHECK(site.global.loads == accesses);
}
