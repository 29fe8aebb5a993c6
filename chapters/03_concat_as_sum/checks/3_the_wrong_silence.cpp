#include "exercise/exercise.hpp"

#include "mha/generator.hpp"
#include "mha/layer.hpp"

#include <doctest/doctest.h>

mha::LayerWeights<double> without_head(mha::LayerWeights<double> w,
                                       mha::Index n_heads, mha::Index h);

namespace {

using mha::Index;
using mha::Matrix;
using Weights = mha::LayerWeights<double>;
using Layer = mha::MultiHeadAttention<double>;

Weights random_weights(mha::TorchGenerator& generator, Index d_in, Index width,
                       Index d_out, double bias) {
  const auto normal = [&](Index rows, Index columns) -> Matrix<double> {
    return generator.normal(rows, columns).cast<double>();
  };
  return {normal(d_in, width), normal(d_in, width), normal(d_in, width),
          normal(width, d_out), bias * normal(1, width),
          bias * normal(1, width), bias * normal(1, width),
          bias * normal(1, d_out)};
}

// The output, less what head h wrote into it.
Matrix<double> expected_output(const Weights& w, Index n_heads, Index h,
                               const Matrix<double>& x) {
  const auto result = Layer(w, n_heads).forward(x);
  const Index d = w.w_q.cols() / n_heads;
  return result.output - mha::head_of(result.heads, h, d) *
                             w.w_o.middleRows(h * d, d);
}

void expect_without(mha::TorchGenerator& generator, const Weights& w,
                    Index n_heads, Index h, std::string_view lesson) {
  const Matrix<double> x = generator.normal(3, w.w_q.rows()).cast<double>();
  mha::expect_close(
      Layer(without_head(w, n_heads, h), n_heads).forward(x).output,
      expected_output(w, n_heads, h, x), 1e-11,
      fmt::format("{} heads, output {} wide, without head {}", n_heads,
                  w.w_o.cols(), h),
      lesson);
}

}  // namespace

TEST_CASE("the output lacks what the head wrote and nothing else") {
  mha::TorchGenerator generator(1);
  for (const Index h : {0, 1}) {
    expect_without(generator, random_weights(generator, 4, 4, 4, 0), 2, h,
                   "Where whole columns of the output are 0, slots were "
                   "silenced. A slot of the output belongs to no head: every "
                   "head writes into all of them.");
  }
}

TEST_CASE("a head with a value bias falls silent too") {
  mha::TorchGenerator generator(2);
  expect_without(generator, random_weights(generator, 4, 4, 4, 1), 2, 1,
                 "Here the biases are not zero. If every row is off by the "
                 "same row, the head still writes its value bias.");
}

TEST_CASE("it works when the output is wider than the heads") {
  mha::TorchGenerator generator(3);
  expect_without(generator, random_weights(generator, 5, 6, 7, 1), 3, 2,
                 "w_o is 6 x 7 here: it has rows for the heads, and its "
                 "columns are slots of the output.");
  // Here 6 / 2 = 3 is not the width of a head.
  expect_without(generator, random_weights(generator, 5, 4, 6, 1), 2, 0,
                 "w_o is 4 x 6 here, and a head is 4 / 2 = 2 wide. The 6 "
                 "columns of w_o are slots of the output and say nothing "
                 "about the width of a head; the columns of w_q do.");
}

TEST_CASE("it works when a head is 3 wide") {
  mha::TorchGenerator generator(4);
  expect_without(generator, random_weights(generator, 4, 6, 5, 1), 2, 0,
                 "w_q has 6 columns for 2 heads here, so a head is 3 wide. "
                 "Work the width out from the layer that you are given.");
}
