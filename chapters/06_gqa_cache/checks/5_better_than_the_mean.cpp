#include "exercise/exercise.hpp"

#include "mha/generator.hpp"

#include <doctest/doctest.h>

#include <vector>

mha::Matrix<double> best_shared_key(const std::vector<mha::Matrix<double>>& q,
                                    const std::vector<mha::Matrix<double>>& k);

namespace {

using mha::Index;
using Heads = std::vector<mha::Matrix<double>>;

struct Group {
  Heads q, k;
};

Group random_group(std::uint32_t seed, Index heads, Index d_model,
                   Index d_head) {
  mha::TorchGenerator generator(seed);
  Group group;
  for (Index h = 0; h < heads; ++h) {
    // Heads that ask loudly and heads that ask softly.
    const double loud = h == 0 ? 4.0 : 1.0;
    group.q.push_back(loud * generator.normal(d_model, d_head).cast<double>());
    group.k.push_back(generator.normal(d_model, d_head).cast<double>());
  }
  return group;
}

double error_of(const Group& group, const mha::Matrix<double>& shared) {
  double error = 0;
  for (std::size_t h = 0; h < group.q.size(); ++h) {
    error += (group.q[h] * (shared - group.k[h]).transpose()).squaredNorm();
  }
  return error;
}

}  // namespace

TEST_CASE("no other matrix has a smaller error of the scores") {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    const Group group = random_group(seed, 2 + seed % 3, 10, 3);
    const mha::Matrix<double> mine = best_shared_key(group.q, group.k);
    mha::expect(mine.rows() == 10 && mine.cols() == 3,
                fmt::format("expected 10 x 3, got {} x {}", mine.rows(),
                            mine.cols()));
    const double error = error_of(group, mine);
    mha::TorchGenerator generator(100 + seed);
    for (int trial = 0; trial < 40; ++trial) {
      // Where the derivative is zero a small step adds its square, no less.
      const mha::Matrix<double> step =
          1e-3 * generator.normal(10, 3).cast<double>();
      const double there = error_of(group, mine + step);
      mha::expect(there >= error,
                  fmt::format("{} heads, width 10, d_head 3\nerror of yours   "
                              "{:.6f}\nerror a step on  {:.6f}\nThere is a "
                              "better one near by. Heads that ask loudly "
                              "count for more than in the mean.",
                              group.q.size(), error, there));
    }
  }
}

TEST_CASE("with equal queries it is the mean") {
  Group group = random_group(50, 3, 8, 2);
  group.q[1] = group.q[2] = group.q[0];
  const mha::Matrix<double> mean =
      (group.k[0] + group.k[1] + group.k[2]) / 3.0;
  mha::expect_close(best_shared_key(group.q, group.k), mean, 1e-9,
                    "three heads with the same query projection",
                    "All M(h) are equal here and cancel.");
}

TEST_CASE("a group of one keeps its keys") {
  const Group group = random_group(51, 1, 8, 3);
  mha::expect_close(best_shared_key(group.q, group.k), group.k[0], 1e-9,
                    "one head", "There is nothing to share.");
}
