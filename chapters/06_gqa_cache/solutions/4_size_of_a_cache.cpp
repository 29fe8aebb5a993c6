// Solution 6.4: A cache that is not all alike
//
// Three questions a layer: how many numbers a token leaves, how many tokens
// are kept, how many bytes a number takes. Each of the usual mistakes is one of
// them answered for another layer than the one at hand: a window forgotten or
// counted everywhere, a latent row counted for keys and for values.
//
// The first product is of two ints. It is small here, but the rule is to make
// one factor wide before multiplying, not the result after.
#include "exercise/exercise.hpp"

#include <algorithm>
#include <vector>

struct Layer {
  int n_kv_heads = 0;
  int d_head = 0;
  int latent = 0;
  int window = 0;
};

mha::Index cache_bytes(const std::vector<Layer>& layers, mha::Index tokens,
                       mha::Index bytes_a_number) {
  mha::Index numbers = 0;
  for (const Layer& layer : layers) {
    const mha::Index of_a_token =
        layer.latent > 0 ? layer.latent
                         : mha::Index{2} * layer.n_kv_heads * layer.d_head;
    const mha::Index kept = layer.window > 0
                                ? std::min<mha::Index>(tokens, layer.window)
                                : tokens;
    numbers += of_a_token * kept;
  }
  return numbers * bytes_a_number;
}
