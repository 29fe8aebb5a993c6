// Exercise 4.3: Right for Llama, wrong for Gemma
// kind: find the bug
// difficulty: 2
// section: published-models
// check: it is right for every model
//
// This function reads what a model's configuration file says and returns the
// number of attention weights in one layer, without biases. Older files leave
// two things out: `n_kv_heads`, when every head has keys and values of its own,
// and `d_head`, when it is the width divided by the heads.
//
// It gave the right number for GPT-2, Llama and Mistral, and went into use.
// Then came Gemma. Find what is wrong, in two places, and repair it.
//
// hint: For which models do the heads together have another width than the
//   token? The table of published models marks them with a star.
// hint: Write down the four shapes for Gemma 2 9B: tokens of 3,584, 16 heads of
//   256, 8 with keys and values. Compare each with the line that counts it.
// hint: The keys' width is worked out a second time, and forgets what the file
//   said. And the output matrix takes all heads in, and gives a token back.
#include "exercise/exercise.hpp"

#include <optional>

mha::Index weights_in_layer(mha::Index d_model, mha::Index n_heads,
                            std::optional<mha::Index> n_kv_heads,
                            std::optional<mha::Index> d_head) {
  const mha::Index kv_heads = n_kv_heads.value_or(n_heads);
  const mha::Index heads = n_heads * d_head.value_or(d_model / n_heads);
  const mha::Index keys = kv_heads * (d_model / n_heads);
  return d_model * heads + 2 * d_model * keys + d_model * d_model;
}
