#include "bench_run.hpp"
#include "bench_tables.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace {

bench::Speed speed(const std::string& what, bench::Spread share) {
  return {what, 512, 12, false, 2, {100, 90, 110}, share};
}

std::string written(const std::string& text) {
  const std::string path = "bench_run_test.json";
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_CASE("a spread is the median and the quartiles") {
  const bench::Spread odd = bench::spread_of({5, 1, 4, 2, 3});
  CHECK(odd.median == 3);
  CHECK(odd.low == 2);
  CHECK(odd.high == 4);
  CHECK(bench::spread_of({1, 2}).median == 1.5);
  CHECK_THROWS_AS(bench::spread_of({}), std::invalid_argument);
}

TEST_CASE("a difference within the spread is not claimed") {
  CHECK(bench::compared(speed("fused", {0.70, 0.60, 0.75}),
                        speed("other", {0.65, 0.62, 0.68})) ==
        "fused and other: no difference beyond the spread");
}

TEST_CASE("a difference beyond the spread is claimed for the faster one") {
  const bench::Speed slow = speed("naive", {0.20, 0.19, 0.21});
  const bench::Speed fast = speed("fused", {0.60, 0.59, 0.61});
  CHECK(bench::compared(fast, slow) == "fused is 3.0 times as fast as naive");
  CHECK(bench::compared(slow, fast) == "fused is 3.0 times as fast as naive");
}

TEST_CASE("a run is the same after it was written and read") {
  bench::BenchRun run;
  run.machine = "a \"machine\"";
  run.threads = 2;
  run.layers = {speed("fused", {0.7, 0.6, 0.8})};
  run.decode = {{"fused", 8, 1024, 8, 2, {30, 29, 31}, {0.8, 0.7, 0.9}}};
  run.memory = {{"fused", 16384, 0.5}};
  const bench::BenchRun read = bench::read_run(written(bench::to_json(run)));
  CHECK(bench::to_json(read) == bench::to_json(run));
  CHECK(bench::find_speed(read.layers, "fused", 512, false).share.high == 0.8);
  CHECK_THROWS_AS(bench::find_speed(read.layers, "fused", 512, true),
                  std::invalid_argument);
}

TEST_CASE("the table of decodes has the group, the cache and the share") {
  bench::BenchRun run;
  CHECK(bench::tables_of(run).find("Decoding") == std::string::npos);
  run.decode = {{"fused", 8, 1024, 8, 2, {30, 29, 31}, {0.8, 0.7, 0.9}}};
  const std::string text = bench::tables_of(run);
  const std::size_t row = text.rfind("fused", text.find("Memory"));
  CHECK(text.substr(row, text.find('\n', row) - row) ==
        "fused         4    1024     8 MiB       2    30.0      80 %"
        "       70-90 %");
}

TEST_CASE("a file that is no run is refused in a line that says what to do") {
  for (const char* text : {"", "{}", "[1]", "{\"machine\": 3}", "\xff\xfe"}) {
    const std::string path = written(text);
    try {
      bench::read_run(path);
      FAIL("accepted: ", text);
    } catch (const std::invalid_argument& error) {
      const std::string message = error.what();
      CHECK(message.find("./mha bench --json") != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
    }
  }
  for (const char* none : {"no_such_run.json", "."}) {
    CHECK_THROWS_WITH_AS(bench::read_run(none),
                         doctest::Contains("cannot be read"),
                         std::invalid_argument);
  }
}
