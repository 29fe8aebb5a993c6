#include "exercise/exercise.hpp"

#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <doctest/doctest.h>

struct Part {
  mha::Matrix<double> output;       // (T_q, d_head)
  mha::RowVector<double> log_sum_exp;  // (T_q), natural logarithm
};

Part join(const Part& a, const Part& b);

namespace {

using mha::Index;
using mha::Matrix;

constexpr double inf = std::numeric_limits<double>::infinity();

// Attention of the queries over keys `first` to `first + count - 1`.
Part part_of(const Matrix<double>& q, const Matrix<double>& k,
             const Matrix<double>& v, Index first, Index count) {
  const auto result = mha::attention(q, k.middleRows(first, count),
                                     v.middleRows(first, count));
  Part part{result.context, mha::RowVector<double>(q.rows())};
  for (Index i = 0; i < q.rows(); ++i) {
    const double highest = result.scores.row(i).maxCoeff();
    part.log_sum_exp(i) =
        highest +
        std::log((result.scores.row(i).array() - highest).exp().sum());
  }
  return part;
}

Part nothing(Index queries, Index d_head) {
  return {Matrix<double>::Zero(queries, d_head),
          mha::RowVector<double>::Constant(queries, -inf)};
}

void expect_whole(const Part& got, const Part& whole, std::string_view what) {
  mha::expect_close(got.log_sum_exp, whole.log_sum_exp, 1e-9, what,
                    "This is the log-sum-exp. The totals add up, not their "
                    "logarithms.");
  mha::expect_close(got.output, whole.output, 1e-12, what,
                    "This is the output. A half counts as much as its share "
                    "of the total: not the half of it, and not the share of "
                    "the keys.");
}

}  // namespace

TEST_CASE("two halves give the whole") {
  mha::TorchGenerator generator(1);
  for (const Index cut : {1, 5, 8}) {
    const Matrix<double> q = generator.normal(4, 6).cast<double>();
    const Matrix<double> k = generator.normal(9, 6).cast<double>();
    const Matrix<double> v = generator.normal(9, 6).cast<double>();
    expect_whole(
        join(part_of(q, k, v, 0, cut), part_of(q, k, v, cut, 9 - cut)),
        part_of(q, k, v, 0, 9), fmt::format("the first {} of 9 keys, and the "
                                            "others", cut));
  }
}

TEST_CASE("large scores do no harm") {
  mha::TorchGenerator generator(2);
  const Matrix<double> q = 100 * generator.normal(4, 6).cast<double>();
  const Matrix<double> k = 100 * generator.normal(8, 6).cast<double>();
  const Matrix<double> v = generator.normal(8, 6).cast<double>();
  expect_whole(join(part_of(q, k, v, 0, 4), part_of(q, k, v, 4, 4)),
               part_of(q, k, v, 0, 8), "scores of some thousands");
}

TEST_CASE("a half in which nothing was seen changes nothing") {
  mha::TorchGenerator generator(3);
  const Matrix<double> q = generator.normal(4, 6).cast<double>();
  const Matrix<double> k = generator.normal(5, 6).cast<double>();
  const Matrix<double> v = generator.normal(5, 6).cast<double>();
  const Part some = part_of(q, k, v, 0, 5);
  expect_whole(join(some, nothing(4, 6)), some, "an empty second half");
  expect_whole(join(nothing(4, 6), some), some, "an empty first half");
}

TEST_CASE("nothing and nothing is nothing") {
  const Part got = join(nothing(2, 3), nothing(2, 3));
  mha::expect(got.output.isZero(0) && (got.log_sum_exp.array() == -inf).all(),
              "two empty halves\nexpected zeros and minus infinity.\nMinus "
              "infinity less minus infinity is NaN: set this case apart.");
}
