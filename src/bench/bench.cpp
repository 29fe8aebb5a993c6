// ./mha bench: how fast attention is here, beside what this machine can do.
#include "bench_tables.hpp"
#include "decode_speed.hpp"
#include "machine.hpp"
#include "one_step_less.hpp"
#include "speed.hpp"
#include "torch_attention.hpp"

#include "ladder.hpp"

#include "mha/fused_forward.hpp"
#include "mha/vector_widths.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <deque>
#include <fstream>
#include <functional>

namespace {

struct BenchOptions {
  std::string json_file;
  bool memory = false;
  double seconds = 1;
  std::int64_t most_tokens = 4096;
  std::int64_t cache_mib = 256;
};

constexpr std::int64_t n_heads = 12;
constexpr std::size_t n_places = 4;  // of memory, for the same inputs

void say(const std::string& line) { fmt::print(stderr, "bench: {}\n", line); }

// The naive layer is slow: at 4096 tokens twelve heads take half a minute.
std::vector<bench::Contender> ladder_contenders() {
  std::vector<bench::Contender> all;
  for (const fused::Step& step : fused::ladder()) {
    all.push_back({.what = step.name, .attend = step.attend,
                   .most_tokens = 4096});
  }
  return all;
}

void naive_heads(const mha::FusedCall& call) {
  mha::FusedCall one = call;
  for (std::ptrdiff_t h = 0; h < call.n_heads; ++h) {
    one.q = call.q + h * call.q_at.head;
    one.k = call.k + h * call.k_at.head;
    one.v = call.v + h * call.v_at.head;
    one.out = call.out + h * call.out_at.head;
    fused::ladder().front().attend(one);
  }
}

std::vector<bench::Contender> layer_contenders(const bench::Torch& torch) {
  const int threads = bench::all_threads();
  std::vector<bench::Contender> all = {
      {"naive", naive_heads, 1, false, 1024},
      {"fused",
       [threads](const mha::FusedCall& call) {
         mha::fused_forward(call, {.threads = threads});
       },
       threads, true, 16384}};
  if (torch.attend) {
    all.push_back({"libtorch",
                   [&torch](const mha::FusedCall& c) {
                     torch.attend({c.q, c.k, c.v, c.out, c.n_heads, c.t_q,
                                   c.d_head, c.scale});
                   },
                   threads, false, 4096});
  }
  return all;
}

// Compiled for 16 lanes only: nothing where this machine has fewer.
std::vector<bench::Contender> less_contenders() {
  std::vector<bench::Contender> all;
#ifdef MHA_X86_WIDTHS
  if (mha::vector_widths().back() < 16) return all;
  const int threads = bench::all_threads();
  const auto add = [&](const std::string& what,
                       const mha::FusedKernel& kernel) {
    all.push_back({what,
                   [kernel, threads](const mha::FusedCall& call) {
                     mha::fused_forward_with(call, kernel, threads);
                   },
                   threads, false, 16384});
  };
  add("without own exp", mha::kernel_without_own_exp<16>());
  add("without any exp", mha::kernel_without_any_exp<16>());
  add("without fetching", mha::kernel_without_fetching<16>());
  add("without shuffles", mha::kernel_without_shuffles<16>());
#endif
  return all;
}

std::vector<bench::Speed> measure_all(
    const std::vector<bench::Contender>& contenders, std::int64_t heads,
    std::int64_t least, const BenchOptions& options) {
  std::vector<bench::Speed> speeds;
  for (std::int64_t t = least; t <= options.most_tokens; t *= 2) {
    for (const bool causal : {false, true}) {
      std::deque<bench::Inputs> places;
      while (places.size() < n_places) places.emplace_back(t, heads, causal);
      for (const bench::Contender& contender : contenders) {
        if ((causal && !contender.causal) || t > contender.most_tokens) {
          continue;
        }
        say(fmt::format("{}, T = {}, {}", contender.what, t,
                        causal ? "causal" : "full"));
        speeds.push_back(measure(contender, places, options.seconds));
      }
    }
  }
  return speeds;
}

// A cache near the processor, and one that is far larger than what is near.
std::vector<bench::Decode> measure_decodes(const BenchOptions& options) {
  std::vector<int> teams = {1};
  if (bench::all_threads() > 1) teams.push_back(bench::all_threads());
  std::vector<bench::Decode> all;
  for (const int threads : teams) {
    for (const std::int64_t mib : {std::int64_t{4}, options.cache_mib}) {
      for (const std::int64_t kv_heads : {32, 8, 4}) {
        say(fmt::format("decoding, {} MiB, H/G = {}, {} thread{}", mib,
                        32 / kv_heads, threads, threads == 1 ? "" : "s"));
        for (const bench::Decode& decode : bench::measure_decode(
                 {kv_heads, mib}, threads, options.seconds)) {
          all.push_back(decode);
        }
      }
    }
  }
  return all;
}

std::vector<bench::Memory> measure_memory() {
  std::vector<bench::Memory> memory;
  for (const bool fused : {false, true}) {
    for (std::int64_t t = 512; t <= 16384; t *= 2) {
      const std::string what = fused ? "fused" : "naive";
      say(fmt::format("memory of {}, T = {}", what, t));
      const double mib = bench::memory_of(fused, t);
      if (mib < 0) {
        say(fmt::format("{} failed at T = {}; is there memory enough?", what,
                        t));
        continue;
      }
      memory.push_back({what, t, mib});
    }
  }
  return memory;
}

bench::Spread several(const std::function<double()>& measure, int times) {
  std::vector<double> values;
  for (int n = 0; n < times; ++n) values.push_back(measure());
  return bench::spread_of(values);
}

bench::BenchRun run_bench(const BenchOptions& options) {
  bench::BenchRun run;
  // First: a child process is made here, before there are threads.
  if (options.memory) run.memory = measure_memory();
  const int threads = bench::all_threads();
  const bench::Torch torch = bench::torch_with(threads);
  run.machine = bench::processor_name();
  run.date = bench::today();
  run.compiler = bench::compiler_name();
  run.torch = torch.version;
  run.lanes = mha::vector_widths().back();
  run.threads = threads;
  run.peak_one = several([] { return bench::peak_gflops(1); }, 20);
  run.peak_all = several([&] { return bench::peak_gflops(threads); }, 20);
  run.read = several([] { return bench::read_gb_per_second(); }, 5);
  run.ladder = measure_all(ladder_contenders(), 1, 128, options);
  // In one pass, so that what is compared is measured at about the same time.
  std::vector<bench::Contender> layers = layer_contenders(torch);
  const std::vector<bench::Contender> less = less_contenders();
  layers.insert(layers.end(), less.begin(), less.end());
  for (const bench::Speed& speed :
       measure_all(layers, n_heads, 512, options)) {
    (speed.what.starts_with("without") ? run.less : run.layers)
        .push_back(speed);
  }
  run.decode = measure_decodes(options);
  return run;
}

void write_json(const BenchOptions& options, const bench::BenchRun& run) {
  std::ofstream file(options.json_file);
  file << to_json(run) << '\n';
  file.close();
  mha::require(!file.fail(),
               "cannot write {}; is its folder there and writable?",
               options.json_file);
}

}  // namespace

int main(int argc, char** argv) {
  BenchOptions options;
  CLI::App app("How fast attention is here, beside what this machine can do.",
               "bench");
  app.add_option("--json", options.json_file, "also write the run to FILE")
      ->type_name("FILE");
  app.add_flag("--memory", options.memory,
               "also measure memory, up to 16384 tokens (needs 3 GiB)");
  app.add_option("--seconds", options.seconds, "for each line of the tables")
      ->check(CLI::Range(0.01, 60.0))->capture_default_str();
  app.add_option("--most-tokens", options.most_tokens, "longest text")
      ->check(CLI::Range(512, 16384))->capture_default_str();
  app.add_option("--cache-mib", options.cache_mib,
                 "the larger cache to decode from; twice as much is needed")
      ->check(CLI::Range(8, 1 << 16))->capture_default_str();
  try {
    app.parse(argc, argv);
    const bench::BenchRun run = run_bench(options);
    if (!options.json_file.empty()) write_json(options, run);
    fmt::print("{}", tables_of(run));
    return 0;
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    say(fmt::format("{}; see ./mha bench --help", error.what()));
  } catch (const std::exception& error) {
    say(error.what());
  }
  return 1;
}
