#include "exercise/exercise.hpp"

#include "mha/generator.hpp"
#include "mha/layer.hpp"

#include <doctest/doctest.h>

mha::LayerWeights<double> loud_and_empty(mha::LayerWeights<double> w,
                                         mha::Index n_heads, mha::Index h);

namespace {

using mha::Index;
using mha::Matrix;
using Weights = mha::LayerWeights<double>;
using Layer = mha::MultiHeadAttention<double>;

constexpr Index n_heads = 4, d_head = 2, chosen = 2;

Weights given_weights() {
  mha::TorchGenerator generator(6);
  const auto normal = [&](Index rows, Index columns) -> Matrix<double> {
    return generator.normal(rows, columns).cast<double>();
  };
  return {normal(8, 8), normal(8, 8), normal(8, 8), normal(8, 8),
          normal(1, 8), normal(1, 8), normal(1, 8), normal(1, 8)};
}

// What head h writes about some text.
Matrix<double> written(const Weights& w, Index h, std::uint32_t text,
                       mha::Causal causal) {
  mha::TorchGenerator generator(text);
  const Matrix<double> x = generator.normal(6, 8).cast<double>();
  const auto heads = Layer(w, n_heads).forward(x, {.causal = causal}).heads;
  return mha::head_of(heads, h, d_head) *
         w.w_o.middleRows(h * d_head, d_head);
}

// What head h hands over without its part of b_v: what it reads in the tokens.
Matrix<double> read_by(Weights w, Index h, std::uint32_t text) {
  mha::head_of(w.b_v, h, d_head).setZero();
  mha::TorchGenerator generator(text);
  const Matrix<double> x = generator.normal(6, 8).cast<double>();
  return mha::head_of(Layer(w, n_heads).forward(x).heads, h, d_head);
}

Weights changed() { return loud_and_empty(given_weights(), n_heads, chosen); }

}  // namespace

TEST_CASE("its absence changes the output most") {
  const Weights w = changed();
  const double loud = written(w, chosen, 7, mha::Causal::none).norm();
  for (Index h = 0; h < n_heads; ++h) {
    if (h == chosen) continue;
    const double other = written(w, h, 7, mha::Causal::none).norm();
    mha::expect(loud >= 10 * other,
                fmt::format("without head {} the output changes by {:.3g}, "
                            "without head {} by {:.3g}\nexpected at least 10 "
                            "times as much for head {}.",
                            chosen, loud, h, other, chosen));
  }
}

TEST_CASE("it tells nothing about any text") {
  const Weights w = changed();
  const Matrix<double> row =
      written(w, chosen, 7, mha::Causal::none).topRows(1);
  for (const std::uint32_t text : {7U, 8U, 9U}) {
    for (const auto causal : {mha::Causal::none, mha::Causal::top_left}) {
      mha::expect_close(
          written(w, chosen, text, causal), row.replicate(6, 1),
          1e-12 * row.norm(), "what head 2 writes about six tokens",
          "Expected the same row for every token of every text. If the rows "
          "differ, the head still reads something from the tokens.");
    }
    // No tolerance: next to a loud constant everything else looks small.
    mha::expect_close(
        read_by(w, chosen, text), Matrix<double>::Zero(6, d_head), 0,
        "what head 2 takes from six tokens, its part of b_v left out",
        "A constant can be so loud that rounding hides what the head reads "
        "beside it. The head reads it all the same: loud is not empty. What "
        "in the layer turns tokens into values?");
  }
}

TEST_CASE("nothing else has changed") {
  Weights got = changed();
  const Weights given = given_weights();
  mha::expect(got.w_v.rows() == 8 && got.w_v.cols() == 8 && got.b_v.size() == 8,
              "w_v and b_v must keep their shapes.");
  mha::head_of(got.w_v, chosen, d_head) =
      mha::head_of(given.w_v, chosen, d_head);
  mha::head_of(got.b_v, chosen, d_head) =
      mha::head_of(given.b_v, chosen, d_head);
  const bool same = got.w_q == given.w_q && got.w_k == given.w_k &&
                    got.w_v == given.w_v && got.w_o == given.w_o &&
                    got.b_q == given.b_q && got.b_k == given.b_k &&
                    got.b_v == given.b_v && got.b_o == given.b_o;
  mha::expect(same, "Only head 2's columns of w_v and its entries of b_v may "
                    "change. Other heads own the rest.");
}

TEST_CASE("replaced by its mean, the head is not missed") {
  const Matrix<double> wrote =
      written(changed(), chosen, 8, mha::Causal::none);
  const Matrix<double> mean = wrote.colwise().mean().replicate(6, 1);
  mha::expect(mha::max_abs_difference(wrote, mean) <= 1e-12 * wrote.norm(),
              "The head's rows differ from their mean, so it says something.");
}
