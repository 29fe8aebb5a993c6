// Whatever order the threads ran in, a word is found racing exactly where two
// accesses to it are unordered, which is worked out here from all pairs.
#include "device/barrier_order.hpp"
#include "device/shadow_memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using device::BarrierOrder;
using device::ShadowMemory;
using device::Stamp;

enum class Does { read, write, atomic };

struct Step {
  int word = 0;
  Does does = Does::read;
};

// What happened before what, as sets of earlier accesses.
struct Done {
  int number = 0;
  std::int64_t block = 0;
  int thread = 0;
  Step step;
  std::set<int> before;  // numbers
};

struct Races {
  std::set<int> words;
  std::set<std::pair<int, int>> pairs;  // the earlier one first
};

// Keeps all pairs.
class Oracle {
 public:
  explicit Oracle(int threads)
      : known_(static_cast<std::size_t>(threads)) {}
  void block_begins(std::int64_t block) {
    block_ = block;
    for (std::set<int>& known : known_) known.clear();
  }
  int access(int thread, Step step) {
    std::set<int>& known = known_[static_cast<std::size_t>(thread)];
    const int number = static_cast<int>(all_.size());
    all_.push_back({number, block_, thread, step, known});
    known.insert(number);
    return number;
  }
  void barrier(const std::vector<int>& threads) {
    std::set<int> together;
    for (const int t : threads) {
      const std::set<int>& known = known_[static_cast<std::size_t>(t)];
      together.insert(known.begin(), known.end());
    }
    for (const int t : threads) known_[static_cast<std::size_t>(t)] = together;
  }
  // Words that race, and pairs of accesses that do.
  Races races(bool shared) const {
    Races races;
    for (const Done& b : all_) {
      for (const Done& a : all_) {
        if (a.number >= b.number) break;
        if (a.step.word != b.step.word) continue;
        if (shared && a.block != b.block) continue;
        if (a.block == b.block && a.thread == b.thread) continue;
        const bool plain_write =
            a.step.does == Does::write || b.step.does == Does::write;
        const bool one_atomic = a.step.does != b.step.does;
        if (!plain_write && !one_atomic) continue;
        if (b.before.count(a.number) != 0) continue;
        races.words.insert(b.step.word);
        races.pairs.insert({a.number, b.number});
      }
    }
    return races;
  }

 private:
  std::int64_t block_ = 0;
  std::vector<std::set<int>> known_;  // by thread: what a barrier puts before
  std::vector<Done> all_;
};

constexpr std::uintptr_t begin = 4096;
constexpr std::uint32_t n_words = 24;
constexpr int threads = 70;  // two warps and a part of one

struct Outcome {
  Races found;
  Races real;
};

// One launch of three blocks with random accesses, few enough that some words
// race and some do not, and random barriers.
Outcome random_launch(std::uint32_t seed, bool shared) {
  std::mt19937 random(seed);
  const auto up_to = [&random](std::uint32_t n) {
    return static_cast<int>(random() % n);
  };
  BarrierOrder order;
  ShadowMemory shadow(begin, 4 * n_words, shared);
  Oracle oracle(threads);
  Outcome outcome;

  const auto touch = [&](int thread, Step step) {
    const int number = oracle.access(thread, step);
    const Stamp me{order.now(thread), static_cast<std::uint16_t>(thread),
                   static_cast<std::uint16_t>(number + 1)};
    const auto tell = [&](Stamp other, bool, bool) {
      outcome.found.words.insert(step.word);
      if (other.site != 0) outcome.found.pairs.insert({other.site - 1, number});
    };
    device::Cell& cell =
        shadow.cell(begin + 4 * static_cast<std::uintptr_t>(step.word));
    switch (step.does) {
      case Does::read: shadow.read(cell, me, order, tell); break;
      case Does::write: shadow.write(cell, me, order, tell); break;
      case Does::atomic: shadow.atomic(cell, me, order, tell); break;
    }
  };

  order.launch_begins(threads);
  for (std::int64_t block = 0; block < 3; ++block) {
    order.block_begins(block);
    oracle.block_begins(block);
    for (int phase = 0; phase < 8; ++phase) {
      for (int n = up_to(12); n > 0; --n) {
        // Mostly lanes of one warp, mostly reads: else all words race.
        const int thread = up_to(3) == 0 ? up_to(threads) : up_to(6);
        const int kind = up_to(12);
        touch(thread, {up_to(n_words), kind < 9    ? Does::read
                                     : kind < 10 ? Does::write
                                                 : Does::atomic});
      }
      const int barrier = up_to(4);
      std::vector<int> together;
      if (barrier == 0) {
        for (int t = 0; t < threads; ++t) together.push_back(t);
        order.block_barrier();
      } else if (barrier < 3) {
        std::uint32_t lanes = barrier == 1 ? ~0U : 0;
        for (int i = 0; barrier == 2 && i < 4; ++i) lanes |= 1U << up_to(6);
        for (int lane = 0; lane < 32; ++lane) {
          if ((lanes >> lane & 1) != 0) together.push_back(lane);
        }
        order.warp_barrier(0, lanes);
      }
      oracle.barrier(together);
    }
  }
  outcome.real = oracle.races(shared);
  return outcome;
}

}  // namespace

TEST_CASE("words race exactly where two accesses do, and those two are named") {
  for (const bool shared : {true, false}) {
    std::size_t racing = 0;
    std::size_t words = 0;
    for (std::uint32_t seed = 0; seed < 1500; ++seed) {
      CAPTURE(shared);
      CAPTURE(seed);
      const Outcome outcome = random_launch(seed, shared);
      REQUIRE(outcome.found.words == outcome.real.words);
      CHECK(std::includes(
          outcome.real.pairs.begin(), outcome.real.pairs.end(),
          outcome.found.pairs.begin(), outcome.found.pairs.end()));
      racing += outcome.real.words.size();
      words += n_words;
    }
    // Neither none nor all: the comparison can fail.
    CHECK(racing > words / 10);
    CHECK(racing < words * 9 / 10);
  }
}

TEST_CASE("what is known of a word is known of its halves") {
  BarrierOrder order;
  ShadowMemory shadow(begin, 64, true);
  order.launch_begins(32);
  order.block_begins(0);
  const auto nobody = [](Stamp, bool, bool) { FAIL("no race yet"); };
  shadow.write(shadow.cell(begin), {order.now(1), 1, 7}, order, nobody);
  shadow.atomic(shadow.cell(begin + 4), {order.now(1), 1, 8}, order, nobody);
  shadow.fit(begin + 2, 2);
  REQUIRE(shadow.word_bytes() == 2);
  std::vector<int> sites;
  const auto race = [&sites](Stamp other, bool, bool) {
    sites.push_back(other.site);
  };
  for (std::uintptr_t at = begin; at < begin + 12; at += 2) {
    CHECK(shadow.initialised(shadow.cell(at), order) == (at < begin + 8));
    shadow.read(shadow.cell(at), {order.now(2), 2, 9}, order, race);
  }
  CHECK(sites == std::vector<int>{7, 7, 8, 8});
}
