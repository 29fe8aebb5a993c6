#include "cache_sizes.hpp"

#include "mha/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sizes {

// [grouped]
std::string grouped(Index n) {
  const std::string digits = fmt::format("{}", n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}
// [grouped]

// [table]
const std::vector<Served>& served() {
  static const std::vector<Served> list = {
      {.name = "GPT-2 124M", .context = 1024, .billions = 0.124},
      {.name = "GPT-2 XL", .context = 1024, .billions = 1.5},
      {.name = "GPT-3 175B", .context = 2048, .billions = 175},
      {.name = "PaLM 8B", .context = 2048, .billions = 8},
      {.name = "PaLM 62B", .context = 2048, .billions = 62},
      {.name = "PaLM 540B", .context = 2048, .billions = 540},
      {.name = "Falcon 7B", .context = 2048, .billions = 7},
      {.name = "Falcon 40B", .context = 2048, .billions = 40},
      {"Llama 2 7B", 4096, 32000, 11008},
      {"Llama 2 70B", 4096, 32000, 28672},
      {"Llama 3 8B", 8192, 128256, 14336},
      {"Llama 3 70B", 8192, 128256, 28672},
      {"Llama 3.1 405B", 131072, 128256, 53248},
      {.name = "Mistral 7B", .context = 32768, .vocabulary = 32000,
       .d_ff = 14336, .window = 4096, .windowed = 32},
      {"Mixtral 8x7B", 32768, 32000, 14336, 2, 2, 8},
      {"Gemma 2 2B", 8192, 256000, 9216, 1, 4, 1, 0, 4096, 13},
      {"Gemma 2 9B", 8192, 256000, 14336, 1, 4, 1, 0, 4096, 21},
      {"Gemma 2 27B", 8192, 256000, 36864, 1, 4, 1, 0, 4096, 23},
      {"Gemma 3 1B", 32768, 262144, 6912, 1, 4, 1, 0, 512, 22},
      {"Gemma 3 4B", 131072, 262144, 10240, 1, 4, 1, 0, 1024, 29},
      {"Gemma 3 12B", 131072, 262144, 15360, 1, 4, 1, 0, 1024, 40},
      {"Gemma 3 27B", 131072, 262144, 21504, 1, 4, 1, 0, 1024, 52},
      {"Qwen2.5 0.5B", 32768, 151936, 4864, 1},
      {"Qwen2.5 1.5B", 131072, 151936, 8960, 1},
      {"Qwen2.5 3B", 32768, 151936, 11008, 1},
      {"Qwen2.5 7B", 131072, 152064, 18944},
      {"Qwen2.5 14B", 131072, 152064, 13824},
      {"Qwen2.5 32B", 131072, 152064, 27648},
      {"Qwen2.5 72B", 131072, 152064, 29568},
      {"Qwen3 0.6B", 40960, 151936, 3072, 1},
      {"Qwen3 1.7B", 40960, 151936, 6144, 1},
      {"Qwen3 4B", 40960, 151936, 9728, 1},
      {"Qwen3 8B", 40960, 151936, 12288},
      {"Qwen3 14B", 40960, 151936, 17408},
      {"Qwen3 32B", 40960, 151936, 25600},
      {"Qwen3 30B-A3B", 40960, 151936, 768, 2, 2, 128},
      {"Qwen3 235B-A22B", 40960, 151936, 1536, 2, 2, 128},
      {.name = "DeepSeek 67B", .context = 4096, .billions = 67},
      {.name = "DeepSeek-V2-Lite", .context = 32768, .billions = 16},
      {.name = "DeepSeek-V2", .context = 131072, .billions = 236},
      {.name = "DeepSeek-V3", .context = 131072, .billions = 671}};
  return list;
}

const Served& served_named(const std::string& name) {
  const auto found =
      std::find_if(served().begin(), served().end(),
                   [&](const Served& one) { return one.name == name; });
  mha::require(found != served().end(), "there is no model {}", name);
  return *found;
}
// [table]

// [latent named]
namespace {
// The latent model of that name, or null.
const mha::LatentModel* latent_named(std::string_view name) {
  for (const mha::LatentModel& m : mha::latent_models()) {
    if (m.name == name) return &m;
  }
  return nullptr;
}
}  // namespace
// [latent named]

// [bytes per token]
Index layer_bytes_per_token(const mha::AttentionShape& shape,
                            Index bytes_a_number) {
  return 2 * shape.n_kv_heads * shape.d_head * bytes_a_number;
}

Index bytes_per_token(const mha::Model& model, Index bytes_a_number) {
  return model.layers * layer_bytes_per_token(model.shape, bytes_a_number);
}

// One latent row for keys and values of all heads, and one rotary key.
Index bytes_per_token(const mha::LatentModel& model, Index bytes_a_number) {
  return model.layers * (model.kv_rank + model.rotary) * bytes_a_number;
}
// [bytes per token]

// [cache bytes]
Index cache_bytes(const mha::Model& model, Index tokens) {
  return tokens * bytes_per_token(model);
}

// Layer by layer: a window keeps no more than its tokens.
Index cache_bytes(const mha::Model& model, const Served& served,
                  Index tokens) {
  const Index of_layer = layer_bytes_per_token(model.shape, 2);
  const Index global = model.layers - served.windowed;
  return of_layer * (global * tokens +
                     served.windowed * std::min(tokens, served.window));
}

Index cache_at_full_length(const Served& one) {
  if (const mha::LatentModel* latent = latent_named(one.name)) {
    return one.context * bytes_per_token(*latent);
  }
  return cache_bytes(mha::model_named(std::string(one.name)), one,
                     one.context);
}
// [cache bytes]

// [parameters]
// A model of the Llama kind: a gated network of three matrices after attention,
// once for each expert, which a row of numbers chooses.
Index parameters(const Served& one) {
  if (one.vocabulary == 0) return static_cast<Index>(1e9 * one.billions);
  const mha::Model& m = mha::model_named(std::string(one.name));
  const Index d = m.shape.d_model;
  const Index router = one.experts == 1 ? 0 : d * one.experts;
  const Index beside = 3 * d * one.d_ff * one.experts + router + one.norms * d;
  return m.recorded + m.layers * beside + one.tables * one.vocabulary * d + d;
}

Index users(const Served& one) {
  constexpr Index card = 80'000'000'000;
  const Index room = card - 2 * parameters(one);
  return room < 0 ? -1 : room / cache_at_full_length(one);
}
// [parameters]

// [print designs]
void print_designs() {
  mha::heading("Three designs");
  fmt::print("{:<20} {:>5} {:>3} {:>16} {:>9}\n", "", "heads", "kv",
             "bytes per token", "cache");
  const mha::Model& llama = mha::model_named("Llama 2 7B");
  for (const auto& [name, kv] :
       {std::pair<const char*, Index>{"multi-head", 32}, {"grouped-query", 8},
        {"multi-query", 1}}) {
    mha::Model model = llama;
    model.shape.n_kv_heads = kv;
    fmt::print("{:<20} {:5} {:3} {:>16} {:>9}\n", name, model.shape.n_heads,
               kv, grouped(bytes_per_token(model)),
               kv == 32 ? "full" : fmt::format("1/{}", 32 / kv));
  }
  fmt::print("{} layers of {}-wide heads, 16 bits a number\n", llama.layers,
             llama.shape.d_head);
}
// [print designs]

// [print models]
void print_models() {
  mha::heading("Published models");
  fmt::print("{:<16} {:>9} {:>6} {:>8} {:>9} {:>9} {:>6}\n", "model",
             "B/token", "of MHA", "context", "GiB a", "weights", "users");
  fmt::print("{:<16} {:>9} {:>6} {:>8} {:>9} {:>9} {:>6}\n", "", "", "",
             "tokens", "sequence", "GB", "");
  for (const Served& one : served()) {
    const mha::LatentModel* latent = latent_named(one.name);
    const mha::Model* plain =
        latent ? nullptr : &mha::model_named(std::string(one.name));
    const Index n = users(one);
    fmt::print(
        "{:<16} {:>9} {:>6} {:>8} {:>9.3f} {:>8.1f}{} {:>6}\n", one.name,
        grouped(latent ? bytes_per_token(*latent) : bytes_per_token(*plain)),
        latent ? "latent"
               : fmt::format("1/{}", plain->shape.n_heads /
                                         plain->shape.n_kv_heads),
        grouped(one.context),
        static_cast<double>(cache_at_full_length(one)) / 0x1p30,
        2e-9 * static_cast<double>(parameters(one)),
        one.vocabulary == 0 ? '*' : ' ',
        n < 0 ? std::string("-") : grouped(n));
  }
  fmt::print("* from the model's name; the others are counted\n");
}
// [print models]

// [print windows]
void print_windows() {
  mha::heading("Layers with a window");
  fmt::print("MiB a sequence at {:>7} {:>7} {:>7}   131072 without windows\n",
             8192, 32768, 131072);
  for (const Served& one : served()) {
    if (one.windowed == 0) continue;
    const mha::Model& model = mha::model_named(std::string(one.name));
    fmt::print("{:<17}", one.name);
    for (const Index tokens : {8192, 32768, 131072}) {
      fmt::print(" {:>7}", cache_bytes(model, one, tokens) >> 20);
    }
    fmt::print("   {:>7}\n", cache_bytes(model, 131072) >> 20);
  }
}
// [print windows]

// [print published]
void print_published() {
  const mha::LatentModel& lite = mha::latent_models()[0];
  const mha::LatentModel& v2 = mha::latent_models()[1];
  const Index lite_numbers = bytes_per_token(lite, 1);
  const Index v2_numbers = bytes_per_token(v2, 1);
  const Index dense = bytes_per_token(mha::model_named("DeepSeek 67B"), 1);
  const auto fewer = [&](double bits) {
    return 100 * (1 - bits * static_cast<double>(v2_numbers) /
                          (16 * static_cast<double>(dense)));
  };
  mha::heading("Figures of the DeepSeek-V2 paper");
  fmt::print("numbers a token, V2-Lite   {:>7}   printed 15.6K\n",
             grouped(lite_numbers));
  fmt::print("numbers a token, V2        {:>7}   printed 34.6K\n",
             grouped(v2_numbers));
  fmt::print("as key/value heads of 128  {:>7.2f}   printed 2.25\n",
             static_cast<double>(v2.kv_rank + v2.rotary) / (2 * 128));
  fmt::print("less than DeepSeek 67B     {:>5.1f} %   printed 93.3 %\n",
             fewer(16));
  fmt::print("the same at 6 bits each    {:>5.1f} %\n", fewer(6));
}
// [print published]

}  // namespace sizes
