// Exercise 6.4: A cache that is not all alike
// kind: implement
// difficulty: 2
// section: what-fits-on-a-card
// check: every kind of layer is counted right
//
// Write `cache_bytes`: how many bytes the cache of a model takes for one
// sequence of `tokens` tokens. The layers of the model need not be alike. Each
// keeps keys and values for `n_kv_heads` heads of `d_head` columns; or, if
// `latent` is not 0, one row of `latent` numbers a token for all heads, and
// nothing else. A layer with a `window` keeps that many tokens at the most.
//
// Texts are long and layers many: the result may need more than 32 bits.
//
// As shipped, it counts as many of the first layer, without window.
//
// hint: Go through the layers. For each: how many numbers does a token leave,
//   how many tokens are kept, how many bytes is a number?
// hint: A token leaves a key and a value for each key/value head. A latent row
//   is both at once: do not count it twice.
// hint: std::min(tokens, window), but only where there is a window. And all of
//   it in mha::Index.
#include "exercise/exercise.hpp"

#include <vector>

struct Layer {
  int n_kv_heads = 0;
  int d_head = 0;
  int latent = 0;  // 0: keys and values of each head
  int window = 0;  // 0: none
};

mha::Index cache_bytes(const std::vector<Layer>& layers, mha::Index tokens,
                       mha::Index bytes_a_number) {
  if (layers.empty()) return 0;
  return std::ssize(layers) * 2 * layers[0].n_kv_heads * layers[0].d_head *
         tokens * bytes_a_number;
}
