#include "cache_sizes.hpp"

#include "mha/kv_cache.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

namespace {

// [wrong sizes]
using mha::Index;

// The mistakes, each a formula that somebody used.
Index by_hidden_over_heads(const mha::Model& m) {  // d_head worked out
  return m.layers * 2 * m.shape.n_kv_heads *
         (m.shape.d_model / m.shape.n_heads) * 2;
}
Index by_query_heads(const mha::Model& m) {  // G forgotten
  return m.layers * 2 * m.shape.n_heads * m.shape.d_head * 2;
}
Index latent_twice(const mha::LatentModel& m) {  // keys and values apart
  return m.layers * 2 * m.kv_rank * 2;
}
Index latent_by_heads(const mha::LatentModel& m) {  // as if they were there
  return m.layers * m.n_heads * (m.plain + m.rotary + m.value) * 2;
}
Index one_token_times(const sizes::Served& one, Index tokens) {  // no window
  return tokens *
         sizes::bytes_per_token(mha::model_named(std::string(one.name)));
}
// [wrong sizes]

// [named]
const mha::Model& named(const char* name) { return mha::model_named(name); }
const mha::LatentModel& v3() { return mha::latent_models()[2]; }
constexpr Index gib = Index{1} << 30, mib = Index{1} << 20;
// [named]

}  // namespace

TEST_CASE("the bytes a token adds are what a cache of it allocates") {
  const mha::Model& llama = named("Llama 3 8B");
  mha::MemoryCount count;
  const mha::KvCache layer({1, llama.shape.n_kv_heads, llama.shape.d_head, 16},
                           &count);
  CHECK(llama.layers * count.now == 16 * sizes::bytes_per_token(llama, 4));
}

TEST_CASE("Llama 3 8B and Mistral 7B add 131,072 bytes a token, Llama 2 7B "
          "four times as many") {
  CHECK(sizes::bytes_per_token(named("Llama 3 8B")) == 131'072);
  CHECK(sizes::bytes_per_token(named("Mistral 7B")) == 131'072);
  CHECK(sizes::bytes_per_token(named("Llama 2 7B")) == 4 * 131'072);
  CHECK(by_query_heads(named("Llama 3 8B")) == 4 * 131'072);
}

TEST_CASE("Llama 2 70B adds fewer bytes a token than Llama 2 7B") {
  CHECK(sizes::bytes_per_token(named("Llama 2 70B")) == 320 * 1024);
  CHECK(4096 * sizes::bytes_per_token(named("Llama 2 7B")) == 2 * gib);
  CHECK(4 * 4096 * sizes::bytes_per_token(named("Llama 2 70B")) == 5 * gib);
  CHECK(4096 * by_query_heads(named("Llama 2 70B")) == 10 * gib);
}

TEST_CASE("Falcon 7B keeps a 71st of what its query heads would need") {
  CHECK(sizes::bytes_per_token(named("Falcon 7B")) == 8192);
  CHECK(by_query_heads(named("Falcon 7B")) == 71 * 8192);
}

TEST_CASE("the width of a head is read, not worked out: Qwen3 4B and 32B") {
  CHECK(sizes::bytes_per_token(named("Qwen3 4B")) == 147'456);
  CHECK(by_hidden_over_heads(named("Qwen3 4B")) == 92'160);
  CHECK(sizes::bytes_per_token(named("Qwen3 32B")) == 262'144);
  CHECK(by_hidden_over_heads(named("Qwen3 32B")) == 163'840);
}

TEST_CASE("DeepSeek-V3 adds 70,272 bytes a token") {
  CHECK(sizes::bytes_per_token(v3()) == 70'272);
  CHECK(latent_twice(v3()) == 124'928);
  CHECK(latent_by_heads(v3()) == 4'997'120);  // 71 times as many
}

TEST_CASE("a latent cache of 100 layers at 128,000 tokens takes 14.7 GB") {
  const mha::LatentModel model = {"", 100, 7168, 128, 1536, 512, 128, 64, 128,
                                  0};
  CHECK(128'000 * sizes::bytes_per_token(model) == 14'745'600'000);
}

TEST_CASE("Mistral 7B keeps an eighth at 32,768 tokens, as its paper says") {
  const sizes::Served& mistral = sizes::served_named("Mistral 7B");
  const Index kept = sizes::cache_bytes(named("Mistral 7B"), mistral, 32'768);
  CHECK(kept == 512 * mib);
  CHECK(one_token_times(mistral, 32'768) == 8 * kept);
}

TEST_CASE("layers with a window are counted up to their window") {
  for (const auto& [name, mibs] :
       {std::pair<const char*, Index>{"Gemma 2 2B", 6864},
        {"Gemma 2 9B", 22176}, {"Gemma 2 27B", 24288}, {"Gemma 3 1B", 523},
        {"Gemma 3 4B", 2676}, {"Gemma 3 12B", 8512}, {"Gemma 3 27B", 10656}}) {
    const sizes::Served& one = sizes::served_named(name);
    CAPTURE(one.name);
    CHECK(sizes::cache_bytes(named(name), one, 131'072) == mibs * mib);
    CHECK(one_token_times(one, 131'072) > mibs * mib);
    // Below the window there is no difference.
    CHECK(sizes::cache_bytes(named(name), one, 512) ==
          one_token_times(one, 512));
  }
}

TEST_CASE("the DeepSeek-V2 paper's 93.3 % needs 6 bits a number") {
  const Index v2 = sizes::bytes_per_token(mha::latent_models()[1], 1);
  const Index dense = sizes::bytes_per_token(named("DeepSeek 67B"), 1);
  CHECK(v2 == 34'560);
  CHECK(dense == 194'560);
  CHECK(std::round(1000.0 * (1 - static_cast<double>(v2 * 16) /
                                     static_cast<double>(dense * 16))) == 822);
  CHECK(std::round(1000.0 * (1 - static_cast<double>(v2 * 6) /
                                     static_cast<double>(dense * 16))) == 933);
}

TEST_CASE("counted parameters are what three checkpoints hold") {
  CHECK(2 * sizes::parameters(sizes::served_named("Llama 2 7B")) ==
        13'476'831'232);
  CHECK(2 * sizes::parameters(sizes::served_named("Llama 3 8B")) ==
        16'060'522'496);
  CHECK(2 * sizes::parameters(sizes::served_named("Mistral 7B")) ==
        14'483'464'192);
}

TEST_CASE("counted parameters are what the names say, within a tenth, but for "
          "Gemma 2 2B") {
  std::string odd;
  for (const sizes::Served& one : sizes::served()) {
    if (one.vocabulary == 0) continue;
    const std::string name(one.name);
    double said = std::atof(name.c_str() + name.rfind(' '));
    if (one.experts == 8) said = 46.7;  // 8x7B shares all but the experts
    if (one.name == "Qwen3 30B-A3B") said = 30;
    const double counted = 1e-9 * static_cast<double>(sizes::parameters(one));
    if (std::abs(counted / said - 1) > 0.1) odd += name + ", ";
  }
  CHECK(odd == "Gemma 2 2B, ");
}
