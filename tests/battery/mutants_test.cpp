// No mutant of four right programs may slip through the battery.
#include "judging.hpp"
#include "mutable_programs.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <stdexcept>

namespace {

using judging::Subject;
using judging::Verdicts;
using mha::Index;
using mha::Matrix;
using mutants::Mutator;
using Answers = std::vector<Matrix<double>>;

void print_counts(const char* program, const std::vector<mutants::Fate>& fates) {
  struct Count { int mutants, equal, caught; };
  std::map<std::string, Count> kinds;
  for (const mutants::Fate& one : fates) {
    Count& count = kinds[one.mutant.kind];
    ++count.mutants;
    count.equal += !one.changes;
    count.caught += one.changes && one.caught;
  }
  for (const auto& [kind, count] : kinds) {
    fmt::print("{:<6} {:<16} {:>4} mutants, {} change nothing, {} caught\n",
               program, kind, count.mutants, count.equal, count.caught);
  }
}

void need_all_caught(const char* program,
                     const std::vector<mutants::Fate>& fates) {
  print_counts(program, fates);
  for (const mutants::Fate& one : fates) {
    CAPTURE(mutants::name_of(one.mutant));
    CHECK(one.caught == one.changes);
  }
}

const mha::Abilities tiled_can = {.weights = false, .training = false,
                                  .refuses = false};

Subject tiled() {
  static const auto calls = mutants::random_calls(300, tiled_can);
  return {[](const Mutator& m) {
            Answers answers;
            for (const auto& call : calls)
              answers.push_back(mutants::tiled_attention(call, m).output);
            return answers;
          },
          [](const Mutator& m) {
            return mha::check_attention(
                [&](const mha::AttentionCall& call) {
                  return mutants::tiled_attention(call, m);
                },
                tiled_can);
          }};
}

// Layers of all sizes, with masks, with a memory, and one to be refused.
std::vector<mha::LayerCall> layer_calls() {
  mha::TorchGenerator draw(92);
  std::vector<mha::LayerCall> calls;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    mha::CallSizes sizes = {1 + draw.integer(3), 1 + draw.integer(6), 0,
                            1, 1 + draw.integer(3), 1 + draw.integer(4)};
    sizes.n_heads = sizes.n_kv_heads * (1 + draw.integer(2));
    sizes.t_k = draw.integer(2) == 0 ? sizes.t_q : 1 + draw.integer(6);
    calls.push_back(mha::random_layer_call(
        2000 + seed, sizes, {.any_width = draw.integer(2) == 0}));
    if (draw.integer(3) == 0)
      calls.back().options.causal = mha::Causal::bottom_right;
  }
  calls.push_back(mha::random_layer_call(1, {1, 2, 2, 1, 1, 8}, {}));
  calls.back().n_heads = calls.back().n_kv_heads = 3;
  return calls;
}

Subject layer() {
  static const auto calls = layer_calls();
  return {[](const Mutator& m) {
            Answers answers;
            for (const auto& call : calls) {
              try {
                answers.push_back(mutants::plain_layer(call, m));
              } catch (const std::invalid_argument&) {
                answers.emplace_back();
              }
            }
            return answers;
          },
          [](const Mutator& m) {
            const mha::LayerFunction layer = [&](const mha::LayerCall& call) {
              return mutants::plain_layer(call, m);
            };
            const auto own = mha::check_projections(layer);  // fewer calls
            return own.passed() ? mha::check_layer(layer) : own;
          }};
}

// Sessions of random pieces, two at a time.
Answers run_sessions(const Mutator& m) {
  mha::TorchGenerator draw(93);
  Answers answers;
  const mha::CachedAttention make = mutants::growing_cache(m);
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    const Index tokens = seed % 20 == 19 ? 150 : 1 + draw.integer(12);
    const Index kv = 1 + draw.integer(2);
    mha::CallSizes sizes = {1 + draw.integer(3), tokens, tokens,
                            kv * (1 + draw.integer(2)), kv,
                            1 + draw.integer(4)};
    const mha::AttentionCall one = mha::random_call(3000 + seed, sizes);
    const mha::AttentionCall other = mha::random_call(4000 + seed, sizes);
    mha::AttentionCall scaled = one;
    if (seed % 3 == 0) scaled.options.scale = 0.7;
    const mha::CacheSession a = make(), b = make();
    for (Index from = 0; from < tokens;) {
      const Index count =
          std::min<Index>(1 + draw.integer(5), tokens - from);
      answers.push_back(a(mha::piece_of(scaled, from, count)));
      answers.push_back(b(mha::piece_of(other, from, count)));
      from += count;
    }
  }
  return answers;
}

Subject cache() {
  return {run_sessions, [](const Mutator& m) {
            const mha::CachedAttention make = mutants::growing_cache(m);
            const auto own = mha::check_sessions(make);  // fewer calls
            return own.passed() ? mha::check_cached_attention(make) : own;
          }};
}

const Verdicts& layer_verdicts() {
  static const Verdicts all = judging::judge(layer());
  return all;
}

const Verdicts& cache_verdicts() {
  static const Verdicts all = judging::judge(cache());
  return all;
}

}  // namespace

TEST_CASE("every mutant of the plain attention is caught") {
  need_all_caught("plain", mutants::plain_fates());
}

TEST_CASE("every mutant of a running softmax over tiles is caught") {
  const Verdicts verdicts = judging::judge(tiled());
  need_all_caught("tiled", verdicts.fates);
  // A weight of 0 is one that underflowed; what is hidden never gets there.
  CHECK(judging::equal_ones(verdicts.fates) ==
        "weight of 0: times the value\n");
}

TEST_CASE("every mutant of a layer with projections and biases is caught") {
  need_all_caught("layer", layer_verdicts().fates);
  // A key bias adds the same to every score of a row.
  CHECK(judging::equal_ones(layer_verdicts().fates) ==
        "b_k, column: plus 1\nb_k, column: minus 1\nb_k, column: 0\n"
        "b_k: missing\nb_k: once a head\nb_k: subtracted\n");
}

TEST_CASE("every mutant of a cache is caught") {
  need_all_caught("cache", cache_verdicts().fates);
  CHECK(judging::equal_ones(cache_verdicts().fates) == "");
}

TEST_CASE("every check of a layer fails for some mutant") {
  for (const mha::LayerCheck& check : mha::layer_checks()) {
    CAPTURE(check.sentence);
    CHECK(layer_verdicts().failed.count(check.sentence) == 1);
  }
}

TEST_CASE("every check of a cache fails for some mutant") {
  for (const mha::CacheCheck& check : mha::cache_checks()) {
    CAPTURE(check.sentence);
    CHECK(cache_verdicts().failed.count(check.sentence) == 1);
  }
}

TEST_CASE("the right programs pass the battery") {
  const Mutator none{mutants::Mutant{}};
  for (const Subject& subject : {tiled(), layer(), cache()}) {
    const mha::BatteryReport report = subject.check(none);
    CHECK_MESSAGE(report.passed(), report);
  }
}
