#include "bench_tables.hpp"

#include <fmt/format.h>

namespace bench {
namespace {

std::string machine_lines(const BenchRun& run) {
  return fmt::format(
      "{}, {} threads, vectors of {} floats, {}, {}\n"
      "peak multiply-add   {:8.1f} GFLOP/s with one thread, {:.1f} with {}\n"
      "reading memory      {:8.1f} GB/s\n"
      "libtorch            {}\n",
      run.machine, run.threads, run.lanes, run.compiler, run.date,
      run.peak_one.median, run.peak_all.median, run.threads, run.read.median,
      run.torch.empty() ? "not installed: not measured" : run.torch);
}

std::string speed_table(const std::string& title,
                        const std::vector<Speed>& speeds) {
  std::string text = fmt::format(
      "\n{}\n{:<20} {:>6} {:>7} {:>9} {:>8} {:>15}\n", title, "", "T", "",
      "GFLOP/s", "of peak", "middle half");
  for (const Speed& s : speeds) {
    text += fmt::format("{:<20} {:>6} {:>7} {:>9.1f} {:>6.1f} % {:>6.1f}-{:.1f} %\n",
                        s.what, s.tokens, s.causal ? "causal" : "full",
                        s.gflops.median, 100 * s.share.median,
                        100 * s.share.low, 100 * s.share.high);
  }
  return text;
}

std::string decode_table(const std::vector<Decode>& decodes) {
  std::string text = fmt::format(
      "\nDecoding: one token, 32 query heads of 128 columns; share of reading "
      "as many bytes\n{:<10} {:>4} {:>7} {:>9} {:>7} {:>7} {:>9} {:>15}\n",
      "", "H/G", "T", "cache", "threads", "GB/s", "of read", "middle half");
  for (const Decode& d : decodes) {
    text += fmt::format(
        "{:<10} {:>4} {:>7} {:>5.0f} MiB {:>7} {:>7.1f} {:>7.0f} % "
        "{:>8.0f}-{:.0f} %\n",
        d.what, 32 / d.kv_heads, d.tokens, d.mib, d.threads,
        d.gb_per_second.median, 100 * d.share.median, 100 * d.share.low,
        100 * d.share.high);
  }
  return text;
}

std::string memory_table(const std::vector<Memory>& memory) {
  if (memory.empty()) return "\nMemory: not measured; --memory does\n";
  std::string text = "\nMemory beyond input and output, one head of 64 columns\n";
  for (const Memory& m : memory) {
    text += fmt::format("{:<20} {:>6} {:>12.1f} MiB\n", m.what, m.tokens, m.mib);
  }
  return text;
}

// The fused one against each other one of the same size.
std::string comparisons(const BenchRun& run) {
  std::string text = "\nCompared, by their share of the peak\n";
  for (const Speed& fused : run.layers) {
    if (fused.what != "fused") continue;
    for (const Speed& other : run.layers) {
      if (other.what != "fused" && other.tokens == fused.tokens &&
          other.causal == fused.causal) {
        text += fmt::format("T = {:>5}, {:<6}  {}\n", fused.tokens,
                            fused.causal ? "causal" : "full",
                            compared(fused, other));
      }
    }
  }
  return text;
}

}  // namespace

std::string compared(const Speed& a, const Speed& b) {
  if (overlap(a.share, b.share)) {
    return fmt::format("{} and {}: no difference beyond the spread", a.what,
                       b.what);
  }
  const bool faster = a.share.median > b.share.median;
  const Speed& first = faster ? a : b;
  const Speed& second = faster ? b : a;
  return fmt::format("{} is {:.1f} times as fast as {}", first.what,
                     first.share.median / second.share.median, second.what);
}

std::string tables_of(const BenchRun& run) {
  return machine_lines(run) +
         speed_table("One head of 64 columns, one thread", run.ladder) +
         speed_table("Twelve heads of 64 columns, all threads", run.layers) +
         (run.less.empty() ? "" : speed_table("The same, one idea less",
                                              run.less)) +
         comparisons(run) +
         (run.decode.empty() ? "" : decode_table(run.decode)) +
         memory_table(run.memory);
}

}  // namespace bench
