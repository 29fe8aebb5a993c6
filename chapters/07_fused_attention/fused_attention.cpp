// Chapter 7: attention that never stores its scores.
#include "fused_on_calls.hpp"
#include "ladder.hpp"
#include "speed_figures.hpp"

#include "mha/generator.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"
#include "mha/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

// [options]
using mha::Index;
using mha::Matrix;
using mha::RowVector;

struct Options {
  Index tokens = 8;
  Index tile = 3;
  Index seed = 4;
  std::string run = fused::recorded_run();
};
// [options]

// [example]
// One query, its keys and values: four columns a token.
struct Example {
  Matrix<float> scores;  // (1, T)
  Matrix<float> v;       // (T, 4)
};

Example make_example(const Options& options) {
  mha::TorchGenerator generator(static_cast<std::uint32_t>(options.seed));
  const Matrix<float> q = generator.normal(1, 4);
  const Matrix<float> k = generator.normal(options.tokens, 4);
  const Matrix<float> v = generator.normal(options.tokens, 4);
  return {mha::attention(q, k, v).scores, v};
}
// [example]

// [print one by one]
void print_one_by_one(const Example& example) {
  mha::heading("One key at a time");
  fmt::print("key   score  highest  rescale   total  context[0] / total\n");
  fused::Running now;
  now.context = RowVector<float>::Zero(4);
  for (Index j = 0; j < example.v.rows(); ++j) {
    const float before = now.highest;
    fused::add_key(now, example.scores(0, j), example.v.row(j));
    fmt::print("{:3} {:7.3f} {:8.3f} {:8.3f} {:7.3f} {:19.4f}\n", j,
               example.scores(0, j), now.highest,
               std::exp(before - now.highest), now.total,
               now.context(0) / now.total);
  }
}
// [print one by one]

// [print at once]
void print_at_once(const Example& example) {
  mha::heading("All at once");
  const mha::BoolMatrix all =
      mha::BoolMatrix::Constant(1, example.v.rows(), true);
  const Matrix<float> weights = mha::masked_softmax(example.scores, all);
  const float highest = example.scores.maxCoeff();
  fmt::print("highest {:.3f}, total {:.3f}, context[0] {:.4f}\n", highest,
             (example.scores.array() - highest).exp().sum(),
             (weights * example.v)(0, 0));
}
// [print at once]

// [merge]
// What is known after both sets of keys, whichever came first.
fused::Running merged(const fused::Running& a, const fused::Running& b) {
  fused::Running both;
  both.highest = std::max(a.highest, b.highest);
  const float of_a = std::exp(a.highest - both.highest);
  const float of_b = std::exp(b.highest - both.highest);
  both.total = a.total * of_a + b.total * of_b;
  both.context = a.context * of_a + b.context * of_b;
  return both;
}
// [merge]

// [print tiles]
fused::Running of_keys(const Example& example, Index first, Index end) {
  fused::Running now;
  now.context = RowVector<float>::Zero(4);
  for (Index j = first; j < end; ++j) {
    fused::add_key(now, example.scores(0, j), example.v.row(j));
  }
  return now;
}

void print_tiles(const Example& example, Index tile) {
  mha::heading(fmt::format("In tiles of {}", tile));
  fmt::print("keys     highest   total   merged: highest   total\n");
  const Index tokens = example.v.rows();
  fused::Running all = of_keys(example, 0, 0);
  for (Index first = 0; first < tokens; first += tile) {
    const Index end = std::min(first + tile, tokens);
    const fused::Running part = of_keys(example, first, end);
    all = first == 0 ? part : merged(all, part);
    fmt::print("{:<8} {:7.3f} {:7.3f} {:17.3f} {:7.3f}\n",
               fmt::format("{} to {}", first, end - 1), part.highest,
               part.total, all.highest, all.total);
  }
  fmt::print("context[0] {:.4f}\n", all.context(0) / all.total);
}
// [print tiles]

// [kept]
// Bytes of float32 that one head of 64 columns keeps beside its input and
// output: all scores and all weights, or one block of 32 queries and a tile.
Index naive_bytes(Index tokens) { return 2 * tokens * tokens * 4; }
constexpr Index fused_bytes = (2 * 64 + 64) * 32 * 4;

void print_kept() {
  mha::heading("What one head keeps");
  fmt::print("     T   scores and weights   fused, a thread\n");
  for (const Index tokens : {512, 1024, 2048, 4096, 16384}) {
    fmt::print("{:6} {:16.1f} MiB {:13} KiB\n", tokens,
               static_cast<double>(naive_bytes(tokens)) / (1024 * 1024),
               fused_bytes / 1024);
  }
}
// [kept]

// [visited]
struct Visited {
  Index wholly = 0;  // pieces of 32 keys that all queries of a block see
  Index partly = 0;  // that some see
  Index not_at_all = 0;
};

// A block of 32 queries and a piece of 32 keys each.
Visited visited(Index tokens, bool causal) {
  Visited count;
  const Index blocks = (tokens + 31) / 32;
  for (Index block = 0; block < blocks; ++block) {
    count.wholly += causal ? block : blocks;
    count.partly += causal ? 1 : 0;
    count.not_at_all += causal ? blocks - block - 1 : 0;
  }
  return count;
}

void print_visited() {
  mha::heading("What a causal mask saves");
  fmt::print("     T   wholly seen   partly   left out   work / half\n");
  for (const Index tokens : {128, 512, 1024, 2048, 4096}) {
    const Visited c = visited(tokens, true);
    const double all = static_cast<double>(c.wholly + c.partly + c.not_at_all);
    fmt::print("{:6} {:13} {:8} {:10} {:13.3f}\n", tokens, c.wholly, c.partly,
               c.not_at_all,
               static_cast<double>(c.wholly + c.partly) / (all / 2));
  }
}
// [visited]

// [errors]
// The largest error of one head of 64 columns, in units of 1e-7.
struct Errors {
  double naive, fused;
};

Errors measure_errors(Index tokens) {
  const mha::AttentionCall call =
      mha::random_call(1, {.t_q = 64, .t_k = tokens, .d_head = 64});
  const Matrix<double> exact = mha::by_definition(call);
  const Matrix<float> naive =
      mha::attention(call.q.cast<float>(), call.k.cast<float>(),
                     call.v.cast<float>())
          .context;
  return {1e7 * mha::max_abs_difference(naive, exact),
          1e7 * mha::max_abs_difference(fused::on_calls()(call).output,
                                        exact)};
}
// [errors]

// [values]
mha::Values values(const Options& options) {
  mha::Values values;
  const Errors errors = measure_errors(1024);
  values.add("error_naive", errors.naive, "{:.1f}");
  values.add("error_fused", errors.fused, "{:.1f}");
  values.add("kept_kib", static_cast<double>(fused_bytes) / 1024, "{:.0f}");
  values.add("kept_naive_mib",
             static_cast<double>(naive_bytes(16384)) / (1024 * 1024), "{:.0f}");
  const Visited seen = visited(512, true);
  values.add("visited_512",
             2 * static_cast<double>(seen.wholly + seen.partly) / (16 * 16),
             "{:.3f}");
  // Exercise 1: three scores whose exponentials are 1, 4 and 2.
  fused::Running now;
  now.context = RowVector<float>::Zero(1);
  for (const float e : {1.0F, 4.0F, 2.0F}) {
    fused::add_key(now, std::log(e), RowVector<float>::Zero(1));
  }
  values.add("exercise_total", static_cast<double>(now.total), "{:.3f}");
  fused::add_run_values(values, options.run);
  return values;
}
// [values]

// [demo]
void demo(const Options& options) {
  mha::require(options.run == fused::recorded_run(),
               "--run is for numbers and figures; add --values FILE or "
               "--svg FILE");
  const Example example = make_example(options);
  print_one_by_one(example);
  print_at_once(example);
  print_tiles(example, options.tile);
  print_kept();
  print_visited();
}
// [demo]

// [draw visits]
// 8 blocks of 32 queries against the 8 pieces of keys of a text of 256.
std::string draw_visits() {
  mha::Svg svg("Which parts of a causal score matrix are computed",
               "A square of 8 by 8 parts. A row is a block of 32 queries, a "
               "column 32 keys. Below the diagonal all parts are computed "
               "whole, on the diagonal with a mask, above it not at all.");
  constexpr double size = 30, left = 92, top = 44;
  svg.text(left + 4 * size, 20, "keys", "middle");
  for (Index i = 0; i < 8; ++i) {
    const double y = top + size * static_cast<double>(i);
    svg.text(left - 8, y + 20, fmt::format("{} to {}", 32 * i, 32 * i + 31),
             "end", "fill='var(--quiet,#666)'");
    for (Index j = 0; j < 8; ++j) {
      const char* style =
          j < i ? "fill='var(--heat,#2563a8)'"
          : j == i ? "fill='var(--mark,#b4540a)'"
                   : "fill='var(--quiet,#666)' fill-opacity='0.12'";
      svg.rectangle(left + size * static_cast<double>(j) + 1, y + 1, size - 2,
                    size - 2, style);
    }
  }
  const auto legend = [&](double y, const char* style, const char* text) {
    svg.rectangle(left + 8 * size + 24, y, 14, 14, style);
    svg.text(left + 8 * size + 46, y + 12, text);
  };
  legend(top + 60, "fill='var(--heat,#2563a8)'", "whole");
  legend(top + 90, "fill='var(--mark,#b4540a)'", "with a mask");
  legend(top + 120, "fill='var(--quiet,#666)' fill-opacity='0.12'",
         "never visited");
  return svg.finish(left + 8 * size + 150, top + 8 * size + 8);
}
// [draw visits]

}  // namespace

// [main]
int main(int argc, char** argv) {
  Options options;
  return mha::run_chapter(
      {.name = "fused_attention",
       .about = "Attention that never stores its scores.",
       .options = {{"--tokens", &options.tokens, "keys of the example"},
                   {"--tile", &options.tile, "keys in a tile of the example"},
                   {"--seed", &options.seed, "of the example", 0, 1000},
                   {"--run", &options.run,
                    "a run of ./mha bench --json, for values and figures", 0, 0, {},
                    true}},
       .demo = [&] { demo(options); },
       .values = [&] { return values(options); },
       .figures = {{"visits", draw_visits},
                   {"ladder", [&] { return fused::draw_ladder(options.run); }},
                   {"memory", [&] { return fused::draw_memory(options.run); }}}},
      argc, argv);
}
// [main]
