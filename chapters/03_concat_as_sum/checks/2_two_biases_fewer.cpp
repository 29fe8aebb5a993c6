#include "exercise/exercise.hpp"

#include "mha/generator.hpp"
#include "mha/layer.hpp"

#include <doctest/doctest.h>

#include <exception>

mha::LayerWeights<double> fold_biases(mha::LayerWeights<double> w);

namespace {

using mha::Index;
using mha::Matrix;
using Weights = mha::LayerWeights<double>;

// 3 heads of 2 columns, tokens of 5 numbers, outputs of 4: no two sizes equal.
Weights random_weights(mha::TorchGenerator& generator, Index d_out = 4) {
  const auto normal = [&](Index rows, Index columns) -> Matrix<double> {
    return generator.normal(rows, columns).cast<double>();
  };
  return {normal(5, 6), normal(5, 6), normal(5, 6), normal(6, d_out),
          normal(1, 6), normal(1, 6), normal(1, 6), normal(1, d_out)};
}

// Says which layer it was when the sizes of its biases do not fit.
Weights fold(const Weights& given, std::string_view what,
             std::string_view lesson) {
  try {
    return fold_biases(given);
  } catch (const std::exception& error) {
    mha::expect(false, fmt::format("{}\nexpected weights, got an exception:\n"
                                   "{}\n{}",
                                   what, error.what(), lesson));
    throw;
  }
}

void expect_same_output(const Weights& given, const Matrix<double>& x,
                        std::string_view what, std::string_view lesson) {
  const Weights folded = fold(given, what, lesson);
  mha::expect(folded.b_k.size() == 0 && folded.b_v.size() == 0,
              fmt::format("{}\nexpected b_k and b_v of size 0, got {} and {}."
                          "\nA bias of zeros is still there; `resize(0)` "
                          "empties one.",
                          what, folded.b_k.size(), folded.b_v.size()));
  const Index d_out = given.w_o.cols();
  mha::expect(folded.b_o.size() == 0 || folded.b_o.size() == d_out,
              fmt::format("{}\nexpected b_o of size {}, got {}.\nThe output "
                          "bias has an entry for each column of w_o.",
                          what, d_out, folded.b_o.size()));
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
        w, x, "the outputs of the folded layer and of yours",
        "If every row is off by one and the same row, the value bias was "
        "dropped: it must go somewhere. If rows are off differently, a bias "
        "that matters is missing: the query bias stays.");
  }
}

TEST_CASE("a layer without an output bias gets one") {
  mha::TorchGenerator generator(2);
  for (const Index d_out : {4, 3}) {
    Weights w = random_weights(generator, d_out);
    w.b_o.resize(0);
    expect_same_output(
        w, generator.normal(7, 5).cast<double>(),
        fmt::format("a layer with an empty b_o and outputs of {}", d_out),
        "An empty bias counts as zeros, one for each column of w_o.");
  }
}

TEST_CASE("a layer without a value bias keeps its output bias") {
  mha::TorchGenerator generator(3);
  Weights w = random_weights(generator);
  w.b_v.resize(0);
  expect_same_output(w, generator.normal(7, 5).cast<double>(),
                     "a layer with an empty b_v",
                     "There is nothing to move here.");
}

TEST_CASE("a layer without a key bias still loses its value bias") {
  mha::TorchGenerator generator(4);
  Weights w = random_weights(generator);
  w.b_k.resize(0);
  expect_same_output(w, generator.normal(7, 5).cast<double>(),
                     "a layer with an empty b_k",
                     "Each bias may be empty by itself: b_v is there, and "
                     "its row has to move to b_o.");
}

TEST_CASE("a layer without value and output biases stays as it is") {
  mha::TorchGenerator generator(5);
  Weights w = random_weights(generator);
  w.b_v.resize(0);
  w.b_o.resize(0);
  expect_same_output(w, generator.normal(7, 5).cast<double>(),
                     "a layer with both b_v and b_o empty",
                     "An empty b_v has no product with w_o, and there is "
                     "nothing to move. Ask whether b_v is empty before you "
                     "ask about b_o.");
}
