// Solution 4.3: Right for Llama, wrong for Gemma
//
// Two lines took for granted that the heads share out the width of a token. The
// keys and values got columns of d_model / n_heads each, whatever the file said
// a head's width was; and the output matrix was counted as a square.
//
// As long as n_heads d_head equals d_model both are right, so no test on GPT-2
// or Llama can fail. The head's width is now worked out once, in one place, and
// everything else is made from it.
#include "exercise/exercise.hpp"

#include <optional>

mha::Index weights_in_layer(mha::Index d_model, mha::Index n_heads,
                            std::optional<mha::Index> n_kv_heads,
                            std::optional<mha::Index> d_head) {
  const mha::Index width = d_head.value_or(d_model / n_heads);
  const mha::Index queries = n_heads * width;
  const mha::Index keys = n_kv_heads.value_or(n_heads) * width;
  return 2 * d_model * (queries + keys);
}
