// What is computed of a layer for many hypotheses at once, and how little.
#include "diagnose/diagnosis.hpp"
#include "diagnose/projections.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <numeric>

using diagnose::Index;
using diagnose::Numbers;
using diagnose::Product;
using diagnose::ReadWeights;

namespace {

ReadWeights::Matrix shared(Numbers numbers) {
  return std::make_shared<Numbers>(std::move(numbers));
}

Numbers draw(std::uint32_t seed, Index rows, Index cols) {
  return mha::TorchGenerator(seed).normal(rows, cols).cast<double>();
}

std::vector<bool> all_tiles(const Product& product) {
  return std::vector<bool>(
      static_cast<std::size_t>(product.tiles_down() * product.tiles_across()),
      true);
}

double apart(const Numbers& a, const Numbers& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  return (a - b).cwiseAbs().maxCoeff();
}

// Sums of less than 200 products of normal numbers, in another order.
constexpr double rounding = 1e-11;

struct Sizes {
  Index tokens, width, n_heads;
};

diagnose::Reading layer(const Sizes& sizes) {
  diagnose::Reading reading;
  reading.layer = true;
  reading.type = diagnose::NumberType::float32;
  reading.t_q = reading.t_k = sizes.tokens;
  reading.call.n_heads = reading.call.n_kv_heads = sizes.n_heads;
  const double root = 1 / std::sqrt(static_cast<double>(sizes.width));
  std::uint32_t seed = 0;
  const auto normal = [&](Index rows, double size) -> Numbers {
    Numbers numbers = size * draw(++seed, rows, sizes.width);
    return numbers.cast<float>().cast<double>();
  };
  reading.x_q = reading.x_kv = normal(sizes.tokens, 1);
  diagnose::Weights& w = reading.weights;
  for (Numbers* one : {&w.w_q, &w.w_k, &w.w_v, &w.w_o}) {
    *one = normal(sizes.width, root);
  }
  for (auto* one : {&w.b_q, &w.b_k, &w.b_v, &w.b_o}) *one = normal(1, 0.5);
  reading.output.resize(sizes.tokens, sizes.width);
  return reading;
}

std::vector<Index> up_to(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

diagnose::Hypothesis both(const char* a, const char* b) {
  return *diagnose::combine(
      {diagnose::find_variation(a), diagnose::find_variation(b)});
}

// The file of a layer that is wrong in this way.
diagnose::Roles roles_of(const diagnose::Reading& reading,
                         const diagnose::Hypothesis& truth) {
  diagnose::Predictor predictor(reading);
  const Numbers output =
      predictor.predict(truth, {up_to(reading.t_q)}).output;
  diagnose::Roles roles;
  const auto put = [&](const char* name, const Numbers& m) {
    diagnose::Tensor& tensor = roles.tensors[name];
    tensor = {{m.rows(), m.cols()}, reading.type, {}};
    for (const double x : m.reshaped<Eigen::RowMajor>()) {
      tensor.values.push_back(static_cast<double>(static_cast<float>(x)));
    }
  };
  const diagnose::Weights& w = reading.weights;
  put("x", reading.x_q);
  put("out", output);
  put("w_q", w.w_q);
  put("w_k", w.w_k);
  put("w_v", w.w_v);
  put("w_o", w.w_o);
  put("b_q", w.b_q);
  put("b_k", w.b_k);
  put("b_v", w.b_v);
  put("b_o", w.b_o);
  roles.told.n_heads = reading.call.n_heads;
  roles.told.causal = false;
  return roles;
}

// Multiplications of one forward pass of a whole layer.
double forward(const Sizes& sizes) {
  const double t = static_cast<double>(sizes.tokens);
  const double width = static_cast<double>(sizes.width);
  return 4 * t * width * width + 2 * t * t * width;
}

}  // namespace

TEST_CASE("a product's tiles are those of x W, however many are asked for") {
  const auto x = shared(draw(1, 70, 90));
  const auto w = shared(draw(2, 90, 150));
  Product product(x, w);
  std::vector<bool> some(all_tiles(product).size(), false);
  some[1] = some[4] = some[7] = some[8] = true;
  const double first = product.make(some);
  CHECK(first > 0);
  CHECK(product.make(some) == 0);
  CHECK_FALSE(product.complete());
  const Numbers expected = *x * *w;
  const Index t = Product::tile_rows, s = Product::tile_cols;
  CHECK(apart(product.numbers().block(0, s, t, s),
              expected.block(0, s, t, s)) <= rounding);
  CHECK(apart(product.numbers().block(2 * t, s, 70 - 2 * t, s),
              expected.block(2 * t, s, 70 - 2 * t, s)) <= rounding);
  CHECK(first + product.make(all_tiles(product)) == 70.0 * 90 * 150);
  CHECK(product.complete());
  CHECK(apart(product.numbers(), expected) <= rounding);
}

TEST_CASE("rows of weights that are zero are not multiplied") {
  const auto x = shared(draw(3, 40, 128));
  Numbers blocks = Numbers::Zero(128, 128);
  blocks.topLeftCorner(64, 64) = draw(4, 64, 64);
  blocks.bottomRightCorner(64, 64) = draw(5, 64, 64);
  Product product(x, shared(blocks));
  CHECK(product.make(all_tiles(product)) == 2 * 40.0 * 64 * 64);
  CHECK(apart(product.numbers(), *x * blocks) <= rounding);
}

TEST_CASE("weights that are dealt out otherwise are not multiplied again") {
  const diagnose::Reading reading = layer({40, 96, 4});
  diagnose::Projections projections(reading);
  const diagnose::Projection right = *projections.of(nullptr, 0);
  for (Product* one : {right.q.get(), right.k.get(), right.v.get()}) {
    CHECK(one->make(all_tiles(*one)) > 0);
  }
  const auto* dealt = diagnose::find_variation("packed-by-heads");
  const diagnose::Projection other = *projections.of(dealt->reread, 4);
  for (Product* one : {other.q.get(), other.k.get(), other.v.get()}) {
    CHECK(one->make(all_tiles(*one)) == 0);
    CHECK(apart(one->numbers(), reading.x_q * one->weights()) <= rounding);
  }
}

TEST_CASE("where a few columns of the heads write alone, the others do not") {
  for (const auto& [width, d_model] :
       {std::pair<Index, Index>{96, 96}, {96, 130}, {7, 7}, {12, 9}, {1, 3}}) {
    const Numbers w_o = draw(6, width, d_model);
    const auto own = diagnose::own_directions(w_o);
    REQUIRE(own);
    const Numbers& z = own->of_output;
    CHECK(apart(z.transpose() * z, Numbers::Identity(z.cols(), z.cols())) <=
          1e-12);
    Numbers written = w_o * z;
    for (std::size_t i = 0; i < own->columns.size(); ++i) {
      CHECK(apart(written.row(own->columns[i]),
                  own->of_columns.row(static_cast<Index>(i))) <= 1e-12);
      written.row(own->columns[i]).setZero();
    }
    CHECK(written.cwiseAbs().maxCoeff() <= 1e-10);
    CHECK(own->of_columns.norm() > 0.1);
  }
  CHECK_FALSE(diagnose::own_directions(draw(7, 12, 6)));
}

TEST_CASE("to name two bugs in a layer takes the work of a few layers") {
  const Sizes sizes = {128, 256, 8};
  const diagnose::Reading reading = layer(sizes);
  for (const auto& truth :
       {both("raw-merge", "sqrt-d-model"),
        both("k-and-v-exchanged", "b-o-forgotten"),
        both("no-softmax", "w-in-transposed")}) {
    const auto diagnosis =
        diagnose::diagnose_tensors(roles_of(reading, truth));
    CAPTURE(truth.name());
    REQUIRE(diagnosis.finding == diagnose::Finding::named);
    CHECK(diagnosis.fits[0].hypothesis.name() == truth.name());
    CHECK(diagnosis.tried > 700);
    MESSAGE(truth.name(), ": ", diagnosis.multiplications / forward(sizes));
    CHECK(diagnosis.multiplications < 16 * forward(sizes));
  }
  const auto right = diagnose::diagnose_tensors(roles_of(reading, {}));
  REQUIRE(right.finding == diagnose::Finding::correct);
  MESSAGE("right: ", right.multiplications / forward(sizes));
  CHECK(right.multiplications < 5 * forward(sizes));
}

TEST_CASE("to name two bugs in a layer of which nothing is told takes the work "
          "of a few layers a reading") {
  const Sizes sizes = {64, 128, 8};
  const auto truth = both("raw-merge", "sqrt-d-model");
  diagnose::Roles roles = roles_of(layer(sizes), truth);
  roles.told = {};
  const double readings =
      static_cast<double>(diagnose::plans(roles).size());
  const auto diagnosis = diagnose::diagnose_tensors(roles);
  REQUIRE(diagnosis.finding == diagnose::Finding::named);
  CHECK(diagnosis.fits[0].hypothesis.name() == truth.name());
  CHECK(diagnosis.tried > 10000);
  const double work = diagnosis.multiplications / forward(sizes) / readings;
  MESSAGE("a reading: ", work);
  CHECK(work < 18);
}
