#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

std::vector<mha::Index> favourites(const mha::RowVector<double>& queries,
                                   const mha::RowVector<double>& keys);
mha::Index most_favourites();

namespace {

using mha::Index;
using mha::Matrix;

// One of eight heads of a layer of width 8, as PyTorch would draw it.
struct Head {
  mha::RowVector<double> queries, keys;  // (1, T)
  Matrix<float> map;                     // (T, T)
};

std::vector<Head> heads_of_layer(std::uint32_t seed, Index tokens) {
  mha::TorchGenerator generator(seed);
  const auto w = mha::torch_layer_weights(generator, 8);
  const Matrix<float> x = generator.normal(tokens, 8);
  const auto result = mha::MultiHeadAttention<float>(w, 8).forward(x);
  const Matrix<float> q = mha::project(x, w.w_q, w.b_q, "x");
  const Matrix<float> k = mha::project(x, w.w_k, w.b_k, "x");
  std::vector<Head> heads;
  for (Index h = 0; h < 8; ++h) {
    heads.push_back({q.col(h).cast<double>().transpose(),
                     k.col(h).cast<double>().transpose(),
                     result.weights[static_cast<std::size_t>(h)]});
  }
  return heads;
}

void expect_favourites(const Head& head, const std::string& where) {
  const Index tokens = head.keys.size();
  const auto got = favourites(head.queries, head.keys);
  mha::expect(static_cast<Index>(got.size()) == tokens,
              fmt::format("expected {} places, one a token, got {}.", tokens,
                          got.size()));
  for (Index t = 0; t < tokens; ++t) {
    const Index place = got[static_cast<std::size_t>(t)];
    mha::expect(
        place >= 0 && place < tokens,
        fmt::format("there are keys 0 to {}, got key {}.", tokens - 1, place));
    Index right = 0;
    const float most = head.map.row(t).maxCoeff(&right);
    // Where two keys tie, either is a favourite.
    mha::expect(
        head.map(t, place) == most,
        fmt::format("{}, token {}\nits query is {:.6g}, and the keys are"
                    "\n{}\nexpected key {}, got key {}.\nThe favourite "
                    "is the key whose product with the query is "
                    "largest. What does a negative query do?",
                    where, t, head.queries(t), mha::show(head.keys), right,
                    place));
  }
}

// The most different favourites that any head of 100 layers has.
Index measured_most() {
  std::size_t most = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    for (const Head& head : heads_of_layer(seed, 12)) {
      std::set<Index> places;
      for (Index t = 0; t < 12; ++t) {
        Index place = 0;
        head.map.row(t).maxCoeff(&place);
        places.insert(place);
      }
      most = std::max(most, places.size());
    }
  }
  return static_cast<Index>(most);
}

}  // namespace

TEST_CASE("each token's favourite follows from its query and the keys") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const std::vector<Head> heads = heads_of_layer(seed, 6);
    for (std::size_t h = 0; h < heads.size(); ++h) {
      expect_favourites(heads[h], fmt::format("seed {}, head {}", seed, h));
    }
  }
}

TEST_CASE("one head has no more favourites than that, and some have as many") {
  const Index measured = measured_most();
  mha::expect(most_favourites() == measured,
              fmt::format("{} is not the most that 800 heads of 12 tokens have:"
                          " {}.\nHow many kinds of query are there, if all that"
                          " counts is which key wins?",
                          most_favourites(),
                          most_favourites() > measured ? "none has so many"
                                                       : "some have more"));
}
