#include "exercise/exercise.hpp"

#include "mha/generator.hpp"
#include "mha/layer.hpp"

#include <doctest/doctest.h>

mha::LayerWeights<double> fold_biases(mha::LayerWeights<double> w);

namespace {

using mha::Index;
using mha::Matrix;
using Weights = mha::LayerWeights<double>;

// 3 heads of 2 columns, tokens of 5 numbers, outputs of 4: no two sizes equal.
Weights random_weights(mha::TorchGenerator& generator) {
  const auto normal = [&](Index rows, Index columns) -> Matrix<double> {
    return generator.normal(rows, columns).cast<double>();
  };
  return {normal(5, 6), normal(5, 6), normal(5, 6), normal(6, 4),
          normal(1, 6), normal(1, 6), normal(1, 6), normal(1, 4)};
}

void expect_same_output(const Weights& given, const Weights& folded,
                        const Matrix<double>& x, std::string_view what,
                        std::string_view lesson) {
  mha::expect(folded.b_k.size() == 0 && folded.b_v.size() == 0,
              fmt::format("expected b_k and b_v of size 0, got {} and {}.\n"
                          "A bias of zeros is still there; `resize(0)` "
                          "empties one.",
                          folded.b_k.size(), folded.b_v.size()));
  // Scores of about 30 and outputs of about 10, a few roundings each.
  using Layer = mha::MultiHeadAttention<double>;
  mha::expect_close(Layer(folded, 3).forward(x).output,
                    Layer(given, 3).forward(x).output, 1e-11, what, lesson);
}

}  // namespace

TEST_CASE("the key and value biases are gone and nothing changes") {
  mha::TorchGenerator generator(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Weights w = random_weights(generator);
    const Matrix<double> x = generator.normal(7, 5).cast<double>();
    expect_same_output(
        w, fold_biases(w), x, "the outputs of the folded layer and of yours",
        "If every row is off by one and the same row, the value bias was "
        "dropped: it must go somewhere. If rows are off differently, a bias "
        "that matters is missing: the query bias stays.");
  }
}

TEST_CASE("a layer without an output bias gets one") {
  mha::TorchGenerator generator(2);
  Weights w = random_weights(generator);
  w.b_o.resize(0);
  expect_same_output(w, fold_biases(w),
                     generator.normal(7, 5).cast<double>(),
                     "a layer with an empty b_o",
                     "An empty bias counts as zeros.");
}

TEST_CASE("a layer without a value bias keeps its output bias") {
  mha::TorchGenerator generator(3);
  Weights w = random_weights(generator);
  w.b_v.resize(0);
  expect_same_output(w, fold_biases(w),
                     generator.normal(7, 5).cast<double>(),
                     "a layer with an empty b_v",
                     "There is nothing to move here.");
}
