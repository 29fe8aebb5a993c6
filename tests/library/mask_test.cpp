// Which keys a query may see: polarity, corners, combinations, wrong shapes.
#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace {

using mha::AttendMask;
using mha::AttentionOptions;
using mha::BoolMatrix;
using mha::Causal;
using mha::Index;
using mha::Matrix;
constexpr double inf = std::numeric_limits<double>::infinity();

// Rows of 0 and 1, such as "100/110": 1 where a query may see a key.
std::string picture(const BoolMatrix& visible) {
  std::string text;
  for (Index i = 0; i < visible.rows(); ++i) {
    if (i != 0) text += '/';
    for (Index j = 0; j < visible.cols(); ++j) {
      text += visible(i, j) ? '1' : '0';
    }
  }
  return text;
}

std::string picture(const AttentionOptions& options, Index t_q, Index t_k) {
  return picture(mha::visible_keys(options, t_q, t_k));
}

BoolMatrix table(Index rows, Index cols, const std::string& bits) {
  BoolMatrix result(rows, cols);
  for (Index n = 0; n < result.size(); ++n) {
    result.data()[n] = bits[static_cast<std::size_t>(n)] == '1';
  }
  return result;
}

}  // namespace

TEST_CASE("without options every key is visible") {
  CHECK(picture({}, 2, 3) == "111/111");
}

TEST_CASE("the causal corner decides when lengths differ") {
  const AttentionOptions top = {.causal = Causal::top_left};
  const AttentionOptions bottom = {.causal = Causal::bottom_right};
  CHECK(picture(top, 1, 4) == "1000");
  CHECK(picture(bottom, 1, 4) == "1111");
  CHECK(picture(top, 2, 5) == "10000/11000");
  CHECK(picture(bottom, 2, 5) == "11110/11111");
  CHECK(picture(top, 4, 2) == "10/11/11/11");
  CHECK(picture(bottom, 4, 2) == "00/00/10/11");
  CHECK(picture(top, 3, 3) == picture(bottom, 3, 3));
}

TEST_CASE("more queries than keys leave leading rows of exact zeros") {
  mha::TorchGenerator generator(1);
  const Matrix<float> q = generator.normal(5, 3), k = generator.normal(2, 3),
                      v = generator.normal(2, 3);
  const AttentionOptions options = {.causal = Causal::bottom_right};
  CHECK(picture(options, 5, 2) == "00/00/00/10/11");
  const auto result = mha::attention(q, k, v, options);
  CHECK(result.context.topRows(3).isZero(0));
  CHECK(result.context.row(3) == v.row(0));
}

TEST_CASE("true attends or is masked, as the name says") {
  const BoolMatrix t = table(2, 3, "100110");
  CHECK(picture({.pairs = AttendMask::where_true_attends(t)}, 2, 3) ==
        "100/110");
  CHECK(picture({.pairs = AttendMask::where_true_is_masked(t)}, 2, 3) ==
        "011/001");
}

TEST_CASE("a mask of keys holds for every query") {
  const BoolMatrix padding = table(1, 3, "010");
  CHECK(picture({.keys = AttendMask::where_true_is_masked(padding)}, 2, 3) ==
        "101/101");
}

TEST_CASE("a mask of keys and the same one as pairs hide the same") {
  const BoolMatrix padding = table(1, 4, "0110");
  CHECK(picture({.keys = AttendMask::where_true_is_masked(padding)}, 3, 4) ==
        picture({.pairs =
                     AttendMask::where_true_is_masked(padding.replicate(3, 1))},
                3, 4));
}

TEST_CASE("padding as floats and as booleans agree bit for bit") {
  mha::TorchGenerator generator(2);
  const Matrix<float> q = generator.normal(3, 4), k = generator.normal(2, 4),
                      v = generator.normal(2, 4);
  Matrix<double> floats(3, 2);
  floats << 0, -inf, 0, -inf, 0, -inf;
  const auto as_floats = mha::attention(q, k, v, {.bias = floats});
  const auto as_bools = mha::attention(
      q, k, v, {.keys = AttendMask::where_true_is_masked(table(1, 2, "01"))});
  CHECK(as_floats.weights == as_bools.weights);
  CHECK(as_floats.context == as_bools.context);
}

TEST_CASE("a first token of padding under a causal mask sees nothing") {
  const AttentionOptions options = {
      .causal = Causal::top_left,
      .keys = AttendMask::where_true_is_masked(table(1, 3, "100"))};
  CHECK(picture(options, 3, 3) == "000/010/011");
}

TEST_CASE("all masks together hide what any of them hides") {
  Matrix<double> bias = Matrix<double>::Zero(3, 4);
  bias(2, 0) = -inf;
  bias(1, 1) = 1e300;
  const AttentionOptions options = {
      .causal = Causal::bottom_right,  // 1100/1110/1111 of 3 x 4
      .pairs = AttendMask::where_true_attends(table(3, 4, "011111111111")),
      .keys = AttendMask::where_true_is_masked(table(1, 4, "0010")),
      .bias = bias};
  CHECK(picture(options, 3, 4) == "0100/1100/0101");
}

TEST_CASE("hiding a key twice in minus infinities gives no NaN") {
  mha::TorchGenerator generator(3);
  const Matrix<float> x = generator.normal(3, 2);
  Matrix<double> bias = Matrix<double>::Zero(3, 3);
  bias.row(0).setConstant(-inf);
  bias(1, 2) = std::numeric_limits<double>::lowest();
  const auto result = mha::attention(
      x, x, x,
      {.causal = Causal::top_left,
       .keys = AttendMask::where_true_is_masked(table(1, 3, "100")),
       .bias = bias});
  CHECK_FALSE(result.context.array().isNaN().any());
  CHECK(result.context.row(0).isZero(0));
  CHECK(result.context.row(1) == x.row(1));
}

TEST_CASE("a table of ones as a bias masks nothing") {
  CHECK(picture({.bias = Matrix<double>::Ones(2, 2)}, 2, 2) == "11/11");
}

TEST_CASE("the softmax after a mask equals masking and sharing out again") {
  mha::TorchGenerator generator(4);
  const Matrix<double> scores = generator.normal(2, 5).cast<double>();
  const BoolMatrix visible = table(2, 5, "1011001110");
  const Matrix<double> masked = mha::masked_softmax(scores, visible);
  Matrix<double> shared =
      mha::masked_softmax(scores, BoolMatrix(BoolMatrix::Constant(2, 5, true)));
  shared = visible.select(shared.array(), 0.0);
  for (Index i = 0; i < 2; ++i) shared.row(i) /= shared.row(i).sum();
  CHECK((masked - shared).cwiseAbs().maxCoeff() <= 1e-15);
  CHECK((visible || masked.array() == 0).all());
}

TEST_CASE("a mask of another shape is refused with both shapes") {
  const auto refuse = [](const AttentionOptions& options, const char* message) {
    CHECK_THROWS_WITH_AS(mha::visible_keys(options, 2, 3), message,
                         std::invalid_argument);
  };
  const auto attend = [](Index rows, Index cols) {
    return AttendMask::where_true_attends(
        BoolMatrix::Constant(rows, cols, true));
  };
  refuse({.bias = Matrix<double>::Zero(3, 2)},
         "bias is 3 x 2, but there are 2 queries and 3 keys");
  refuse({.bias = Matrix<double>::Zero(1, 3)},
         "bias is 1 x 3, but there are 2 queries and 3 keys");
  refuse({.pairs = attend(3, 2)},
         "mask of pairs is 3 x 2, but there are 2 queries and 3 keys");
  refuse({.pairs = attend(2, 1)},
         "mask of pairs is 2 x 1, but there are 2 queries and 3 keys");
  refuse({.keys = attend(1, 2)},
         "mask of keys is 1 x 2, but must be 1 x 3, one entry a key");
  refuse({.keys = attend(2, 3)},
         "mask of keys is 2 x 3, but must be 1 x 3, one entry a key");
  refuse({.keys = attend(3, 1)},
         "mask of keys is 3 x 1, but must be 1 x 3, one entry a key");
}

TEST_CASE("a mask of no columns is refused where there are keys") {
  const Matrix<double> x = Matrix<double>::Zero(2, 3);
  CHECK_THROWS_WITH_AS(
      mha::attention(x, x, x,
                     {.pairs = mha::AttendMask::where_true_attends(
                          mha::BoolMatrix(2, 0))}),
      "mask of pairs is 2 x 0, but there are 2 queries and 2 keys",
      std::invalid_argument);
  CHECK_THROWS_AS(
      mha::attention(x, x, x,
                     {.keys = mha::AttendMask::where_true_attends(
                          mha::BoolMatrix(1, 0))}),
      std::invalid_argument);
}
