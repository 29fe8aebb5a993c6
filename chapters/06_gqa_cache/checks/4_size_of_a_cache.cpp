#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <vector>

struct Layer {
  int n_kv_heads = 0;
  int d_head = 0;
  int latent = 0;
  int window = 0;
};

mha::Index cache_bytes(const std::vector<Layer>& layers, mha::Index tokens,
                       mha::Index bytes_a_number);

namespace {

using mha::Index;
using Layers = std::vector<Layer>;

void expect_bytes(const char* name, const Layers& layers, Index tokens,
                  Index expected, const char* lesson) {
  const Index got = cache_bytes(layers, tokens, 2);
  mha::expect(got == expected,
              fmt::format("{}, {} tokens, 2 bytes a number\nexpected {}\ngot   "
                          "   {}\n{}", name, tokens, expected, got, lesson));
}

}  // namespace

TEST_CASE("layers that are alike are counted") {
  expect_bytes("Llama 3 8B", Layers(32, {8, 128}), 8192, Index{1} << 30,
               "2 x 8 x 128 numbers a token and layer.");
  expect_bytes("no layer", {}, 100, 0, "Nothing is kept.");
}

TEST_CASE("every kind of layer is counted right") {
  expect_bytes("Mistral 7B", Layers(32, {8, 128, 0, 4096}), 32768,
               512 * (Index{1} << 20), "Each layer keeps 4096 tokens.");
  expect_bytes("a short text and a long window", Layers(2, {1, 4, 0, 100}), 3,
               2 * 2 * 4 * 3 * 2, "Only 3 tokens are there to be kept.");
  Layers gemma(22, {1, 256, 0, 512});
  gemma.resize(26, {1, 256});
  expect_bytes("Gemma 3 1B", gemma, 131072, 548'405'248,
               "22 layers with a window, 4 without.");
  expect_bytes("DeepSeek-V3", Layers(61, {0, 0, 576}), 1, 70'272,
               "A latent row is there once, not for keys and for values.");
  expect_bytes("Llama 3.1 405B", Layers(126, {8, 128}), 131072,
               67'645'734'912,
               "Does any product on the way have to fit in an int?");
}
