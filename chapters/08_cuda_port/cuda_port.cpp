// Chapter 8: what changes when the same layer runs on a GPU.
#include "gpu_speed.hpp"
#include "on_cpu.hpp"
#include "touch_figures.hpp"
#include "traffic.hpp"

#include "device/gpu_state.hpp"

#include "mha/program.hpp"

#include <algorithm>
#include <cmath>

namespace {

// [options]
using cuda_port::Index;
using cuda_port::Sizes;
using cuda_port::Step;

struct Options {
  Index tokens = 64;
  Index heads = 4;
  Index kv_heads = 2;
  Index width = 64;
  bool causal = false;
  Index seed = 0;
  std::string kernel;
  std::string one_case;
  bool cases = false;
  bool gpu = false;
  bool reports = false;
};

constexpr Index most_on_cpu = 1025;  // tokens

Sizes sizes_of(const Options& options) {
  return {.heads = options.heads,
          .kv_heads = options.kv_heads,
          .queries = options.tokens,
          .keys = options.tokens,
          .width = options.width,
          .causal = options.causal,
          .scale = 1 / std::sqrt(static_cast<float>(options.width))};
}

// Inputs and the order of the threads both follow from the seed.
cuda_port::Observed run(const Step& step, const Options& options) {
  const auto seed = static_cast<std::uint32_t>(options.seed);
  return cuda_port::run_on_cpu(
      step, sizes_of(options),
      cuda_port::random_arrays(step, sizes_of(options), seed), seed);
}
// [options]

// [print right]
void print_right(const Options& options) {
  mha::heading("Every kernel against the definition");
  const Sizes s = sizes_of(options);
  for (const Step& step : on_cpu_device::ladder()) {
    const cuda_port::Observed seen = run(step, options);
    const auto seed = static_cast<std::uint32_t>(options.seed);
    const double apart = cuda_port::largest_difference(
        seen.output, cuda_port::by_definition(
                         s, cuda_port::random_arrays(step, s, seed)));
    fmt::print("{:<15} {}  {}\n", step.name,
               apart <= cuda_port::tolerance(step) ? "equal" : "WRONG",
               step.idea);
    for (const device::Finding& finding : seen.report.findings) {
      fmt::print("  {}\n", finding.text);
    }
  }
}
// [print right]

// [print moved]
void print_moved(const Options& options) {
  mha::heading("What each kernel moves");
  fmt::print("{:<24} blocks   loads   KiB in  KiB out   shared  barriers\n",
             "");
  for (const Step& step : on_cpu_device::ladder()) {
    for (const device::LaunchCounts& launch : run(step, options)
                                                  .report.launches) {
      fmt::print("{:<24} {:6} {:7} {:8.0f} {:8.0f} {:8} {:9}\n",
                 launch.kernel, launch.blocks, launch.global.load_requests,
                 static_cast<double>(launch.global.load_segments) / 32,
                 static_cast<double>(launch.global.store_segments) / 32,
                 launch.shared.bank_passes, launch.barriers);
    }
  }
  const Sizes s = sizes_of(options);
  fmt::print("at the least             {:23.0f} KiB in and out\n",
             static_cast<double>(cuda_port::least_segments(s)) / 32);
}
// [print moved]

// [print lines]
// What the lines of a step's kernels ask of global memory.
void print_lines(const Step& step, const Options& options) {
  for (const device::LaunchCounts& launch : run(step, options)
                                                .report.launches) {
    mha::heading(fmt::format("Line by line: {}", launch.kernel));
    fmt::print("line  requests  segments each\n");
    const auto row = [](Index line, Index requests, Index segments,
                        const char* what) {
      if (requests == 0) return;
      fmt::print("{:4} {:9} {:14.1f}  {}\n", line, requests,
                 static_cast<double>(segments) / static_cast<double>(requests),
                 what);
    };
    for (const device::LineCounts& line : launch.lines) {
      const device::Traffic& t = line.global;
      row(line.at.line, t.load_requests, t.load_segments, "loaded");
      row(line.at.line, t.store_requests, t.store_segments, "stored");
    }
  }
}
// [print lines]

// [print decode]
constexpr Index decode_keys = 1024;

// One query of each head over many keys.
void print_decode(const Options& options) {
  mha::heading(fmt::format("One query, {} keys", decode_keys));
  Sizes s = sizes_of(options);
  s.queries = 1;
  s.keys = decode_keys;
  for (const char* name : {"register tiles", "grouped", "split keys"}) {
    const Step& step = cuda_port::step_named(name);
    const cuda_port::Observed seen = cuda_port::run_on_cpu(
        step, s, cuda_port::random_arrays(step, s, 0));
    fmt::print("{}\n", name);
    for (const device::LaunchCounts& launch : seen.report.launches) {
      fmt::print("  {:<20} {:4} blocks, {:5.0f} KiB in, {:3.0f} out\n",
                 launch.kernel, launch.blocks,
                 static_cast<double>(launch.global.load_segments) / 32,
                 static_cast<double>(launch.global.store_segments) / 32);
    }
  }
}
// [print decode]

// [print cases]
void print_cases() {
  mha::heading("Wrong kernels");
  for (const cuda_port::KernelCase& one : on_cpu_device::kernel_cases()) {
    const std::string fault = cuda_port::fault_of(one);
    fmt::print("{}\n  {}\n", one.name,
               fault.empty() ? "nothing is wrong" : fault);
  }
}

void print_case(const cuda_port::KernelCase& one, Index seed) {
  mha::heading(fmt::format("The kernel {}", one.name));
  const cuda_port::CaseResult result =
      cuda_port::run_case(one, 100, 150, static_cast<std::uint64_t>(seed));
  for (const device::Finding& finding : result.findings) {
    fmt::print("{}\n  found {} times\n", finding.text, finding.count);
  }
  fmt::print("largest difference {:.2g}, {:.1f} segments a store\n",
             result.difference, result.segments);
}

void print_reports() {
  mha::heading("Bug reports");
  for (const cuda_port::KernelCase& one : on_cpu_device::kernel_cases()) {
    for (const std::string& row : one.reports) {
      fmt::print("{} | {} | {} | {}\n", row, one.name,
                 cuda_port::fault_of(one).empty() ? "passed" : "caught",
                 one.claim);
    }
  }
}
// [print cases]

// [demo]
void demo(const Options& options) {
  cuda_port::check_sizes(sizes_of(options));
  mha::require(options.gpu || options.tokens <= most_on_cpu,
               "tokens = {}, but the CPU device takes at most {}; add --gpu",
               options.tokens, most_on_cpu);
  if (options.gpu) {
    const std::string why = device::why_no_gpu();
    mha::require(why.empty(), "{}; run it without --gpu", why);
    cuda_port::print_gpu(sizes_of(options));
  } else if (!options.one_case.empty()) {
    print_case(cuda_port::case_named(options.one_case), options.seed);
  } else if (options.reports) {
    print_reports();
  } else if (options.cases) {
    print_cases();
  } else if (!options.kernel.empty()) {
    print_lines(cuda_port::step_named(options.kernel), options);
  } else {
    print_right(options);
    print_moved(options);
    print_lines(cuda_port::step_named("three kernels"), options);
    print_decode(options);
    print_cases();
    cuda_port::print_gpu(sizes_of(options));
  }
}
// [demo]

// [exercise values]
// One call of a step, with random numbers.
device::Report report_of(const Step& step, const Sizes& s) {
  return cuda_port::run_on_cpu(step, s, cuda_port::random_arrays(step, s, 0))
      .report;
}

void add_exercise_values(mha::Values& values) {
  // Exercise 8.1: 32 keys of 4 columns, read by one warp.
  const Step& naive = cuda_port::step_named("three kernels");
  const device::LaunchCounts scores =
      report_of(naive, {.keys = 32, .width = 4}).launches.front();
  for (const device::LineCounts& line : scores.lines) {
    for (const device::Sample& sample : line.samples) {
      if (sample.memory != "k") continue;
      values.add("exercise_segments",
                 static_cast<double>(cuda_port::segments_of(sample)),
                 "{:.0f}");
    }
  }
  // Exercise 8.5: Llama 3 8B over 1,000 tokens.
  const Step& split = cuda_port::step_named("split keys");
  const Sizes llama{.heads = 32, .kv_heads = 8, .keys = 1000, .width = 128};
  values.add("exercise_blocks",
             static_cast<double>(
                 report_of(split, llama).launches.front().blocks), "{:.0f}");
}
// [exercise values]

// [values]
mha::Values values(const Options& options) {
  mha::Values values;
  const auto whole = [&](const std::string& name, Index n) {
    values.add(name, static_cast<double>(n), "{:.0f}");
  };
  whole("kernels", std::ssize(on_cpu_device::ladder()));
  const auto cases = on_cpu_device::kernel_cases();
  whole("wrong_kernels",
        std::count_if(cases.begin(), cases.end(), [](const auto& one) {
          return !one.symptom.starts_with("none");
        }));
  const Sizes s = sizes_of(options);
  values.add("tolerance_bf16",
             cuda_port::tolerance(cuda_port::step_named("bfloat16")),
             "{:.2f}");
  whole("decode_keys", decode_keys);
  whole("score_threads", s.heads * s.queries * s.keys);
  whole("input_kib", (s.heads + 2 * s.kv_heads) * s.queries * s.width / 256);
  whole("least_kib", cuda_port::least_segments(s) / 32);
  whole("operations", cuda_port::operations(s));
  whole("shown_tokens", s.keys);
  whole("shown_heads", s.heads);
  whole("shown_kv_heads", s.kv_heads);
  whole("shown_width", s.width);
  const Index products = 2 * s.heads * s.queries * s.keys * s.width;
  whole("shown_products", products);
  whole("shown_warp_products", products / 32);
  for (const Step& step : on_cpu_device::ladder()) {
    Index loaded = 0, stored = 0, passes = 0;
    std::string name = step.name;
    for (char& c : name) c = c == ' ' ? '_' : c;
    for (const device::LaunchCounts& launch : run(step, options)
                                                  .report.launches) {
      loaded += launch.global.load_segments;
      stored += launch.global.store_segments;
      passes += launch.shared.bank_passes;
    }
    whole(name + "_in_kib", loaded / 32);
    whole(name + "_kib", (loaded + stored) / 32);
    whole(name + "_passes", passes);
    values.add(name + "_intensity",
               static_cast<double>(cuda_port::operations(s)) /
                   (32 * static_cast<double>(loaded + stored)),
               "{:.1f}");
  }
  add_exercise_values(values);
  return values;
}
// [values]

// [figures]
// A figure for each step of the ladder.
std::vector<mha::Figure> figures() {
  std::vector<mha::Figure> all;
  for (const Step& step : on_cpu_device::ladder()) {
    std::string name = step.name;
    for (char& c : name) c = c == ' ' ? '_' : c;
    all.push_back({name, [step] { return cuda_port::draw_touches(step); }});
  }
  return all;
}
// [figures]

}  // namespace

// [main]
int main(int argc, char** argv) {
  Options options;
  const mha::Chapter chapter = {
      .name = "cuda_port",
      .about = "The same layer as CUDA kernels, on a CPU or a GPU.",
      .options = {{"--tokens", &options.tokens, "queries and keys", 1, 65536},
                  {"--heads", &options.heads, "query heads", 1, 64},
                  {"--kv-heads", &options.kv_heads,
                   "key/value heads, a divisor of --heads", 1, 64},
                  {"--width", &options.width, "columns of a head", 1, 128},
                  {"--causal", &options.causal, "hide the later keys"},
                  {"--seed", &options.seed,
                   "of the numbers and of the threads' order", 0, 1000000},
                  {"--gpu", &options.gpu, "time on a GPU, and nothing else", 0, 0,
                   {}, true},
                  {"--kernel", &options.kernel,
                   "one kernel of the ladder, line by line", 0, 0,
                   mha::names_of(on_cpu_device::ladder())},
                  {"--case", &options.one_case, "one of the wrong kernels", 0, 0,
                   mha::names_of(on_cpu_device::kernel_cases())},
                  {"--cases", &options.cases, "list the wrong kernels"},
                  {"--reports", &options.reports, "list the bug reports"}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = figures()};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
