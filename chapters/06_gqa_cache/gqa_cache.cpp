// Chapter 6: what fills memory when a model writes, and how sharing shrinks it.
#include "bandwidth.hpp"
#include "cache_figures.hpp"
#include "cache_sizes.hpp"
#include "head_pooling.hpp"
#include "step_cache.hpp"

#include "mha/grouped_attention.hpp"
#include "mha/kv_cache.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"

#include <algorithm>
#include <cmath>

namespace {

// [options]
using mha::Index;
using mha::Matrix;

struct Options {
  Index heads = 8;
  Index kv_heads = 2;
  Index d_head = 16;
  Index tokens = 12;
  std::string one_case;
  bool cases = false;
  bool reports = false;
  Index measure = 0;  // tokens
};
// [options]

// [random tokens]
struct Tokens {
  Matrix<float> q, k, v;
};

Tokens random_tokens(const Options& options) {
  mha::TorchGenerator generator(6);
  return {generator.normal(options.tokens, options.heads * options.d_head),
          generator.normal(options.tokens, options.kv_heads * options.d_head),
          generator.normal(options.tokens, options.kv_heads * options.d_head)};
}

float scale_of(const Options& options) {
  return static_cast<float>(
      1 / std::sqrt(static_cast<double>(options.d_head)));
}
// [random tokens]

// [print counted]
void print_counted(const Options& options) {
  mha::heading("Counted by the memory");
  fmt::print("{} tokens, {} columns a head, {} query heads\n", options.tokens,
             options.d_head, options.heads);
  fmt::print("kv heads  allocated bytes  2 T G d_head 4\n");
  for (Index kv = options.heads; kv >= 1; --kv) {
    if (options.heads % kv != 0) continue;
    mha::MemoryCount count;
    const mha::KvCache cache({1, kv, options.d_head, options.tokens}, &count);
    fmt::print("{:8} {:16} {:15}\n", kv, count.now,
               4 * mha::cache_floats(cache.shape()));
  }
}
// [print counted]

// [print steps]
// A prompt at once, then token by token, against attention without a cache.
void print_steps(const Options& options) {
  mha::heading("Token by token");
  const Tokens x = random_tokens(options);
  const float scale = scale_of(options);
  mha::AttentionOptions causal;
  causal.causal = mha::Causal::bottom_right;
  const Matrix<double> whole = mha::grouped_attention<double>(
      x.q.cast<double>(), x.k.cast<double>(), x.v.cast<double>(),
      options.heads, options.kv_heads, causal);
  mha::KvCache cache({1, options.kv_heads, options.d_head, options.tokens});
  const Index prompt = (options.tokens + 1) / 2;
  Index from = 0;
  fmt::print("  fed  cached  keys read  largest difference\n");
  while (from < options.tokens) {
    const Index count = from == 0 ? prompt : 1;
    const Matrix<float> got = mha::feed(
        cache, 0, x.q.middleRows(from, count), x.k.middleRows(from, count),
        x.v.middleRows(from, count), options.heads, scale);
    fmt::print("{:5} {:7} {:10}  {}\n", count, cache.length(0), cache.held(0),
               mha::max_abs_difference(
                   got, whole.middleRows(from, count)) <= 1e-5
                   ? "below 1e-5"
                   : "TOO LARGE");
    from += count;
  }
}
// [print steps]

// [print ring]
void print_ring() {
  mha::heading("A ring of 3 slots");
  fmt::print("token   slots (position in each)   runs, oldest first\n");
  mha::KvCache ring({1, 1, 1, 3, mha::WhenFull::overwrite_oldest});
  for (Index t = 0; t < 8; ++t) {
    const auto number = mha::RowVector<float>::Constant(
        1, static_cast<float>(t)).eval();
    ring.append(0, number, number);
    std::string slots, runs;
    for (Index s = 0; s < 3; ++s) {
      Index position = -1;
      for (Index p = t; p >= 0 && p > t - 3; --p) {
        if (ring.slot_of(p) == s) position = p;
      }
      slots += position < 0 ? "  ." : fmt::format("{:3}", position);
    }
    for (const mha::KeyValueRun& run : ring.runs(0, 0)) {
      runs += " [";
      for (Index i = 0; i < run.tokens; ++i) {
        runs += fmt::format("{}{:.0f}", i == 0 ? "" : " ", run.k[i]);
      }
      runs += "]";
    }
    fmt::print("{:5}   {:<27}{}\n", t, slots, runs);
  }
}
// [print ring]

// [print mapping]
void print_mapping() {
  mha::heading("Which head reads which");
  fmt::print("heads on kv   h / (H / G)   h mod G   h / G\n");
  for (const auto& [heads, kv] :
       {std::pair<Index, Index>{32, 32}, {32, 8}, {28, 4}, {4, 2}}) {
    Index tiled = 0, divided = 0, beyond = 0;
    for (Index h = 0; h < heads; ++h) {
      const Index right = mha::kv_head_of(h, heads, kv);
      if (h % kv != right) ++tiled;
      if (h / kv != right) ++divided;
      if (h / kv >= kv) ++beyond;
    }
    fmt::print("{:5} on {:2}     all right   {:2} wrong   {:2} wrong{}\n",
               heads, kv, tiled, divided,
               beyond > 0 ? fmt::format(", {} of them not there", beyond)
                          : "");
  }
}
// [print mapping]

// [print corners]
void print_corners() {
  mha::heading("Two queries, five keys");
  for (const auto& [name, causal] :
       {std::pair<const char*, mha::Causal>{"top left",
                                            mha::Causal::top_left},
        {"bottom right", mha::Causal::bottom_right}}) {
    mha::AttentionOptions options;
    options.causal = causal;
    const mha::BoolMatrix visible = mha::visible_keys(options, 2, 5);
    fmt::print("{:<14}", name);
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < 5; ++j) fmt::print("{}", visible(i, j) ? '1' : '0');
      fmt::print("{}", i == 0 ? " / " : "\n");
    }
  }
}
// [print corners]

// [demo]
void demo(const Options& options) {
  mha::kv_head_of(0, options.heads, options.kv_heads);  // the two numbers fit
  if (!options.one_case.empty()) {
    caches::print_case(caches::case_named(options.one_case));
  } else if (options.reports) {
    caches::print_reports();
  } else if (options.cases) {
    caches::print_cases();
  } else if (options.measure > 0) {
    bandwidth::print_measured(options.measure);
  } else {
    sizes::print_designs();
    print_counted(options);
    print_steps(options);
    print_mapping();
    print_corners();
    print_ring();
    caches::print_cases();
    sizes::print_models();
    sizes::print_windows();
    sizes::print_published();
    pooling::print_pooling();
  }
}
// [demo]

// [values]
void add_sizes(mha::Values& values) {
  const auto grouped = [&](const std::string& name, Index n) {
    values.add(name, static_cast<double>(n), sizes::grouped(n));
  };
  const auto token = [](const char* name) {
    return sizes::bytes_per_token(mha::model_named(name));
  };
  const auto gib = [&](const std::string& name, Index bytes) {
    values.add(name, static_cast<double>(bytes) / 0x1p30, "{:.4g} GiB");
  };
  grouped("llama2_token", token("Llama 2 7B"));
  grouped("llama3_token", token("Llama 3 8B"));
  grouped("llama2_70_token", token("Llama 2 70B"));
  grouped("v3_token", sizes::bytes_per_token(mha::latent_models()[2]));
  gib("llama2_full", 4096 * token("Llama 2 7B"));
  gib("llama2_70_full", 4096 * token("Llama 2 70B"));
  gib("llama3_users_cache",
      sizes::cache_at_full_length(sizes::served_named("Llama 3 8B")));
  for (const auto& [name, model] :
       {std::pair{"llama2_users", "Llama 2 7B"},
        std::pair{"llama3_users", "Llama 3 8B"},
        std::pair{"mistral_users", "Mistral 7B"},
        std::pair{"falcon_users", "Falcon 7B"},
        std::pair{"mixtral_users", "Mixtral 8x7B"}}) {
    grouped(name, sizes::users(sizes::served_named(model)));
  }
  grouped("models", std::ssize(sizes::served()));
  grouped("wrong_caches", std::count_if(
      caches::cases().begin(), caches::cases().end(),
      [](const caches::Case& one) {
        return !caches::fault_in_pieces(one).empty();
      }));
  grouped("wrong_by_cut", std::count_if(
      caches::cases().begin(), caches::cases().end(),
      [](const caches::Case& one) {
        return caches::fault_in_pieces(one).starts_with("in pieces of 1,");
      }));
}
// [values]

// [more values]
mha::Values values(const Options&) {
  mha::Values values;
  add_sizes(values);
  const auto apart = pooling::pool_errors(0), alike = pooling::pool_errors(0.8);
  values.add("mean_apart", apart[2].mean, "{:.2f}");
  values.add("first_apart", apart[2].first, "{:.2f}");
  values.add("mean_alike", alike[2].mean, "{:.2f}");
  values.add("first_alike", alike[2].first, "{:.2f}");
  values.add("random_alike", alike[2].random, "{:.2f}");
  // Exercise 6.1: what a ring of 5 slots holds in slot 2 behind token 23.
  const mha::KvCache ring({1, 1, 1, 5, mha::WhenFull::overwrite_oldest});
  for (Index p = 23; p > 23 - 5; --p) {
    if (ring.slot_of(p) == 2) {
      values.add("slot_two", static_cast<double>(p), "{:.0f}");
    }
  }
  return values;
}
// [more values]

}  // namespace

// [main]
int main(int argc, char** argv) {
  Options options;
  const mha::Chapter chapter = {
      .name = "gqa_cache",
      .about = "A cache of keys and values, and what sharing them saves.",
      .options = {{"--heads", &options.heads, "query heads", 1, 256},
                  {"--kv-heads", &options.kv_heads,
                   "key/value heads, a divisor of --heads", 1, 256},
                  {"--d-head", &options.d_head, "width of a head", 1, 512},
                  {"--tokens", &options.tokens, "tokens to feed", 1, 4096},
                  {"--case", &options.one_case, "one of the wrong caches", 0, 0,
                   mha::names_of(caches::cases())},
                  {"--cases", &options.cases, "list the wrong caches"},
                  {"--reports", &options.reports, "list the bug reports"},
                  {"--measure", &options.measure,
                   "time a decode over so many tokens", 0, 65536}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"sharing", caches::draw_sharing},
                  {"ring", caches::draw_ring},
                  {"growth", caches::draw_growth},
                  {"pooling", pooling::draw_pooling}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
