#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

std::vector<mha::Matrix<double>> heads_behind(
    const mha::Matrix<double>& average, mha::Index n_heads);

namespace {

using mha::Index;
using mha::Matrix;

struct Case {
  std::string what;
  Matrix<double> average;
  Index n_heads;
};

// The average map of the chapter's reference layer.
Matrix<double> reference_average() {
  mha::TorchGenerator generator(0);
  const auto w = mha::torch_layer_weights(generator, 8).cast<double>();
  const Matrix<double> x = generator.normal(6, 8).cast<double>();
  const auto result = mha::MultiHeadAttention<double>(w, 4).forward(x);
  Matrix<double> sum = Matrix<double>::Zero(6, 6);
  for (const Matrix<double>& map : result.weights) sum += map;
  return sum / 4;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = {
      {"2 heads, an average of (0.5, 0.3, 0.2)",
       Matrix<double>{{0.5, 0.3, 0.2}}, 2},
      {"2 heads, an average of (0.1, 0.9)", Matrix<double>{{0.1, 0.9}}, 2},
      {"3 heads, an average of (0, 1, 0)", Matrix<double>{{0, 1, 0}}, 3},
      {"4 heads, an equal average over 5 keys",
       Matrix<double>::Constant(1, 5, 0.2), 4},
      {"the average of the reference layer", reference_average(), 4}};
  mha::TorchGenerator generator(12);
  for (int trial = 0; trial < 50; ++trial) {
    const Index queries = 1 + generator.integer(4);
    const Index keys = 1 + generator.integer(5);
    const Index n_heads = 2 + generator.integer(4);
    const Matrix<double> scores =
        2 * generator.normal(queries, keys).cast<double>();
    const mha::BoolMatrix all = mha::BoolMatrix::Constant(queries, keys, true);
    cases.push_back({fmt::format("{} heads, a random average of {} x {}",
                                 n_heads, queries, keys),
                     mha::masked_softmax(scores, all), n_heads});
  }
  return cases;
}

// A few roundings of numbers below 5: far below this.
constexpr double tolerance = 1e-12;

std::vector<Matrix<double>> maps_of(const Case& c) {
  const auto maps = heads_behind(c.average, c.n_heads);
  mha::expect(static_cast<Index>(maps.size()) == c.n_heads,
              fmt::format("{}\nexpected {} maps, got {}.", c.what, c.n_heads,
                          maps.size()));
  for (const Matrix<double>& map : maps) {
    mha::expect(
        map.rows() == c.average.rows() && map.cols() == c.average.cols(),
        fmt::format("{}\nexpected maps of {} x {}, got one of {} x {}.", c.what,
                    c.average.rows(), c.average.cols(), map.rows(),
                    map.cols()));
  }
  return maps;
}

}  // namespace

TEST_CASE("every row of every head holds weights") {
  for (const Case& c : all_cases()) {
    for (const Matrix<double>& map : maps_of(c)) {
      mha::expect((map.array() >= -tolerance).all(),
                  fmt::format("{}\none head's map is\n         {}\nA weight is "
                              "never negative. Whatever one head gives more "
                              "than the average, the others must be able to "
                              "take back.",
                              c.what, mha::show(map)));
      mha::expect_close(map.rowwise().sum(),
                        Matrix<double>::Ones(map.rows(), 1), tolerance,
                        c.what + ": the sum of each row of one head's map",
                        "Each row of each head shares out 1.");
    }
  }
}

TEST_CASE("the mean of the heads is the average that was given") {
  for (const Case& c : all_cases()) {
    Matrix<double> sum =
        Matrix<double>::Zero(c.average.rows(), c.average.cols());
    for (const Matrix<double>& map : maps_of(c)) sum += map;
    mha::expect_close(sum / static_cast<double>(c.n_heads), c.average,
                      tolerance, c.what + ": the mean of your maps",
                      "What head 0 leaves out, the others must put in.");
  }
}

TEST_CASE("head 0 gives the favourite as little as it can") {
  for (const Case& c : all_cases()) {
    const Matrix<double> first = maps_of(c)[0];
    for (Index i = 0; i < first.rows(); ++i) {
      Index favourite = 0;
      const double weight = c.average.row(i).maxCoeff(&favourite);
      const double others = static_cast<double>(c.n_heads - 1);
      const double least = std::max(0.0, (others + 1) * weight - others);
      mha::expect(
          std::abs(first(i, favourite) - least) <= tolerance,
          fmt::format(
              "{}\nrow {}: the average gives {:.6g} to key {}\nexpected "
              "{:.6g} from head 0, got {:.6g}.\nAll heads together give "
              "that key {:.6g}; each of the others can give it at most "
              "1.",
              c.what, i, weight, favourite, least, first(i, favourite),
              (others + 1) * weight));
    }
  }
}
