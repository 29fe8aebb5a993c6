#include "exercise/exercise.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

mha::Index weights_in_layer(mha::Index d_model, mha::Index n_heads,
                            std::optional<mha::Index> n_kv_heads,
                            std::optional<mha::Index> d_head);

namespace {

using mha::Index;

struct Model {
  const char* name;
  Index d_model, n_heads;
  std::optional<Index> n_kv_heads, d_head;
  Index expected;
};

void expect_right(const Model& m) {
  const Index got =
      weights_in_layer(m.d_model, m.n_heads, m.n_kv_heads, m.d_head);
  const auto said = [](std::optional<Index> n) {
    return n ? fmt::format("{}", *n) : std::string("not given");
  };
  mha::expect(
      got == m.expected,
      fmt::format("{}: width {}, {} heads, kv heads: {}, d_head: {}\nexpected "
                  "{}\ngot      {}\n{}",
                  m.name, m.d_model, m.n_heads, said(m.n_kv_heads),
                  said(m.d_head), m.expected, got,
                  m.d_head && *m.d_head * m.n_heads != m.d_model
                      ? "All heads together are not as wide as a token here. "
                        "Which of the four matrices have a side that is as "
                        "wide as all heads?"
                      : "Here the heads share out the width of a token."));
}

}  // namespace

TEST_CASE("it is right where the heads share out the width") {
  const std::vector<Model> models = {
      {"GPT-2 124M", 768, 12, {}, {}, 2'359'296},
      {"Llama 2 7B", 4096, 32, {}, {}, 67'108'864},
      {"Llama 3 8B", 4096, 32, 8, {}, 41'943'040},
      {"Mistral 7B", 4096, 32, 8, 128, 41'943'040},
      {"Falcon 7B", 4544, 71, 1, 64, 41'877'504}};
  for (const Model& m : models) expect_right(m);
}

TEST_CASE("it is right for every model") {
  const std::vector<Model> models = {
      {"Gemma 2 9B", 3584, 16, 8, 256, 44'040'192},
      {"Gemma 3 1B", 1152, 4, 1, 256, 2'949'120},
      {"Qwen3 0.6B", 1024, 16, 8, 128, 6'291'456},
      {"Qwen3 32B", 5120, 64, 8, 128, 94'371'840},
      {"PaLM 540B", 18432, 48, 1, 256, 462'422'016},
      {"heads given, kv heads not", 8, 4, {}, 5, 640}};
  for (const Model& m : models) expect_right(m);
}
