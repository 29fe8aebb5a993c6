// Every wrong access is found in any order of threads, with the lines of both
// sides; and nothing is found where nothing is wrong.
#include "commented_lines.hpp"
#include "memory_faults.hpp"

#include "device/observe.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using device::Finding;
using device::FindingKind;
using device::observe;
using device::Report;

constexpr std::uint64_t n_seeds = 24;

struct Expected {
  FindingKind kind;
  std::string kernel;
  std::string memory;
  std::vector<std::string> comments;  // of the lines, one for each actor
};

bool is(const Finding& finding, const Expected& expected) {
  std::vector<int> lines;
  for (const device::Actor& actor : finding.actors) {
    if (actor.at.file != "memory_faults.cu") return false;
    lines.push_back(actor.at.line);
  }
  std::vector<int> wanted;
  for (const std::string& comment : expected.comments) {
    wanted.push_back(line_with(MEMORY_FAULTS_FILE, comment));
  }
  std::sort(lines.begin(), lines.end());
  std::sort(wanted.begin(), wanted.end());
  return finding.kind == expected.kind && finding.kernel == expected.kernel &&
         finding.memory == expected.memory && lines == wanted;
}

std::string all_texts(const Report& report) {
  std::string texts;
  for (const Finding& finding : report.findings) texts += finding.text + "\n";
  return texts;
}

// In every order exactly these are found.
void always_finds(const std::vector<Expected>& expected, void (*run)()) {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    const Report report = observe({.seed = seed}, run);
    INFO("seed " << seed << "\n" << all_texts(report));
    REQUIRE(report.findings.size() == expected.size());
    for (const Expected& one : expected) {
      CHECK(std::any_of(
          report.findings.begin(), report.findings.end(),
          [&one](const Finding& finding) { return is(finding, one); }));
    }
  }
}

// The text of the first finding when threads and blocks run in order.
std::string first_text(void (*run)()) {
  const Report report = observe({}, run);
  return report.findings.empty() ? "" : report.findings.front().text;
}

}  // namespace

TEST_CASE("a race in shared memory is found in every order of threads") {
  using namespace on_cpu_device;
  constexpr auto race = FindingKind::shared_race;
  always_finds({{race, "early_read", "tile",
                 {"writes the tile", "reads it too early"}}},
               read_tile_too_early);
  always_finds({{race, "early_overwrite", "tile",
                 {"overwrites the tile", "still reads it"}}},
               overwrite_tile_too_early);
  always_finds({{race, "one_word", "total",
                 {"all write it", "all write it"}}},
               write_one_word_all);
  always_finds({{race, "two_readers", "flag",
                 {"two read it", "one of a warp writes it"}}},
               write_what_two_warps_read);
  always_finds({{race, "no_warp_barrier", "tile",
                 {"a lane writes", "its neighbour reads"}}},
               lanes_without_barrier);
  always_finds({{race, "halves_apart", "tile",
                 {"one half writes", "the other reads"}}},
               halves_of_warp_apart);
  always_finds({{race, "two_lines", "word",
                 {"lane 2 reads", "lane 3 writes"}}},
               lanes_read_at_two_lines);
  always_finds({{race, "atomic_and_plain", "sum",
                 {"the plain write", "the atomic one"}}},
               atomics_beside_plain_write);
  always_finds({{race, "early_dynamic", "dynamic_shared",
                 {"writes dynamic memory", "reads dynamic memory"}}},
               dynamic_tile_too_early);
  always_finds({{race, "early_half", "tile",
                 {"writes two bytes", "reads the next two"}}},
               half_precision_neighbour_too_early);
}

TEST_CASE("a race in a buffer is found in every order of blocks") {
  using namespace on_cpu_device;
  constexpr auto race = FindingKind::global_race;
  always_finds({{race, "one_sum", "out",
                 {"adds without an atomic", "adds without an atomic"}}},
               blocks_add_to_one_word);
  always_finds({{race, "next_block", "out",
                 {"a block writes", "another reads"}}},
               block_reads_what_another_wrote);
  always_finds({{race, "last_writes", "out",
                 {"all blocks read", "one block writes"}}},
               block_writes_what_others_read);
  always_finds({{race, "exchange", "out",
                 {"a thread writes", "a thread of another warp reads"}}},
               threads_exchange_through_buffer);
  always_finds({{race, "mixed", "out",
                 {"one block writes plainly", "others atomically"}}},
               blocks_mix_atomic_and_plain);
}

TEST_CASE("a read of a word that nobody wrote is found") {
  using namespace on_cpu_device;
  constexpr auto unwritten = FindingKind::uninitialised_read;
  always_finds({{unwritten, "unwritten_shared", "tile",
                 {"one word is unwritten"}}},
               read_unwritten_shared);
  always_finds({{unwritten, "copy", "from", {"copies"}}},
               read_unwritten_buffer);
  always_finds({{unwritten, "add_one", "counts", {"adds to nothing"}}},
               add_to_unwritten);
  always_finds({{unwritten, "left_over", "kept", {"of another block"}}},
               read_what_last_block_left);
  always_finds({{unwritten, "partly_written", "tile",
                 {"also those past the count"}}},
               read_partly_written_tile);
}

TEST_CASE("an access outside of its memory is found, and harms nobody") {
  using namespace on_cpu_device;
  constexpr auto range = FindingKind::out_of_range;
  always_finds({{range, "past_end", "from", {"from is shorter"}}},
               read_past_end);
  always_finds({{range, "write_end", "out", {"the last one is too far"}}},
               write_past_end);
  always_finds({{range, "before", "from", {"the first one is too early"}}},
               read_before_beginning);
  always_finds({{range, "read_from", "", {"from nowhere"}}}, read_null);
  always_finds({{range, "write_to", "", {"to nowhere"}}}, write_null);
  always_finds({{range, "read_from", "", {"from nowhere"}}}, read_host_memory);
  always_finds({{range, "read_from", "", {"from nowhere"}}},
               read_removed_buffer);
  always_finds({{range, "past_dynamic", "dynamic_shared",
                 {"the 64th does not fit"}}},
               write_past_dynamic_shared);
  always_finds({{range, "write_to", "", {"to nowhere"}}}, write_constant);
}

TEST_CASE("a vector is found misaligned, and out of range by a part of it") {
  using namespace on_cpu_device;
  always_finds({{FindingKind::misaligned, "misaligned", "out",
                 {"4 bytes past"}}},
               read_vector_misaligned);
  always_finds({{FindingKind::out_of_range, "across", "from",
                 {"of six numbers"}}},
               read_vector_across_end);
}

TEST_CASE("a finding says who did what where, in one line") {
  using namespace on_cpu_device;
  const auto at = [](const std::string& comment) {
    return " at memory_faults.cu:" +
           std::to_string(line_with(MEMORY_FAULTS_FILE, comment));
  };
  CHECK(first_text(read_tile_too_early) ==
        "early_read: thread 32 (block 0) writes tile[32]" +
            at("writes the tile") + " while thread 31 read it" +
            at("reads it too early") + ", and no barrier stands between");
  CHECK(first_text(block_reads_what_another_wrote) ==
        "next_block: thread 0 (block 1) writes out[1]" + at("a block writes") +
            " while thread 0 (block 0) read it" + at("another reads") +
            ", and nothing orders the blocks of a launch");
  CHECK(first_text(atomics_beside_plain_write) ==
        "atomic_and_plain: thread 1 (block 0) atomically changes sum" +
            at("the atomic one") + " while thread 0 wrote it" +
            at("the plain write") + ", and no barrier stands between");
  CHECK(first_text(read_past_end) ==
        "past_end: thread 60 (block 0) reads from[60]" + at("from is shorter") +
            ", and so reaches 4 bytes past the end of its 60 elements");
  CHECK(first_text(read_vector_across_end) ==
        "across: thread 1 (block 0) reads from[4]" + at("of six numbers") +
            ", and so reaches 8 bytes past the end of its 6 elements");
  CHECK(first_text(read_before_beginning) ==
        "before: thread 0 (block 0) reads from[-1]" +
            at("the first one is too early") +
            ", 4 bytes before the beginning of its 64 elements");
  CHECK(first_text(read_null) ==
        "read_from: thread 0 (block 0) reads through a null pointer" +
            at("from nowhere"));
  CHECK(first_text(read_host_memory) ==
        "read_from: thread 0 (block 0) reads memory that is neither a buffer "
        "nor shared" + at("from nowhere"));
  CHECK(first_text(read_unwritten_shared) ==
        "unwritten_shared: thread 56 (block 0) reads tile[7]" +
            at("one word is unwritten") +
            ", which no thread of the block has written");
  CHECK(first_text(read_unwritten_buffer) ==
        "copy: thread 0 (block 0) reads from[0]" + at("copies") +
            ", which nobody has written");
  CHECK(first_text(read_vector_misaligned) ==
        "misaligned: thread 0 (block 0) reads 16 bytes beginning with out[1]" +
            at("4 bytes past") + ", which is 4 bytes past a multiple of 16");
}

TEST_CASE("alike findings are one, and counted") {
  const auto count = [](void (*run)()) {
    return observe({}, run).findings.at(0).count;
  };
  CHECK(count(on_cpu_device::read_unwritten_buffer) == 64);
  CHECK(count(on_cpu_device::read_past_end) == 4);
  CHECK(count(on_cpu_device::write_one_word_all) == 63);
}

TEST_CASE("a write to the program's own variables does not happen") {
  const Report report = observe({}, on_cpu_device::write_host_variable);
  REQUIRE(report.findings.size() > 0);
  CHECK(report.findings[0].kind == FindingKind::out_of_range);
  CHECK(on_cpu_device::host_variable() == 5.0f);
}

TEST_CASE("nothing is found where nothing is wrong, in every order") {
  using namespace on_cpu_device;
  for (void (*const run)() :
       {warp_exchanges_with_barriers, halves_of_warp_on_their_own,
        chain_of_lane_barriers, two_tiles_in_turn, blocks_use_shared_in_turn,
        half_precision_neighbours, bytes_of_one_word, atomics_of_all_blocks,
        next_launch_reads_the_last, everyone_reads_one_word,
        one_thread_writes_again, numbers_on_the_stack, numbers_in_a_constant,
        shared_in_device_function, part_written_by_host}) {
    always_finds({}, run);
  }
}
