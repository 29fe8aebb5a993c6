#include "exercise/exercise.hpp"

#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <doctest/doctest.h>

mha::Matrix<double> all_heads(const mha::Matrix<double>& q,
                              const mha::Matrix<double>& k,
                              const mha::Matrix<double>& v, mha::Index n_heads);

namespace {

using mha::Index;
using mha::Matrix;

// One head, entry by entry, with no view and no shared memory.
Matrix<double> columns(const Matrix<double>& m, Index first, Index count) {
  Matrix<double> part(m.rows(), count);
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < count; ++j) part(i, j) = m(i, first + j);
  }
  return part;
}

Matrix<double> expected_heads(const Matrix<double>& q, const Matrix<double>& k,
                              const Matrix<double>& v, Index n_heads) {
  const Index d = q.cols() / n_heads;
  Matrix<double> rows(q.rows(), q.cols());
  for (Index h = 0; h < n_heads; ++h) {
    const Matrix<double> context =
        mha::attention(columns(q, h * d, d), columns(k, h * d, d),
                       columns(v, h * d, d))
            .context;
    for (Index t = 0; t < q.rows(); ++t) {
      for (Index c = 0; c < d; ++c) rows(t, h * d + c) = context(t, c);
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("each row holds the heads of its own token") {
  // 3 tokens, 2 heads of 4 columns. Every token has equal queries and keys, so
  // every head reads the mean of its values, which are 1 in head 0 and 2 in
  // head 1.
  const Matrix<double> zeros = Matrix<double>::Zero(3, 8);
  Matrix<double> v = Matrix<double>::Constant(3, 8, 1);
  v.rightCols(4).setConstant(2);
  mha::expect_close(
      all_heads(zeros, zeros, v, 2), v, 1e-12,
      "3 tokens, 2 heads, 4 columns a head; head 0 reads 1s, head 1 reads 2s",
      "Each row must hold head 0 of its token, then head 1 of the same token. "
      "Here the heads lie one after the other in memory and were cut into rows "
      "as they lay: a reshape does not transpose.");
}

TEST_CASE("it equals one attention a head, for any sizes") {
  mha::TorchGenerator generator(10);
  for (int trial = 0; trial < 50; ++trial) {
    const Index tokens = 1 + generator.integer(6);
    const Index heads = 1 + generator.integer(4);
    const Index width = heads * (1 + generator.integer(3));
    const Matrix<double> q = generator.normal(tokens, width).cast<double>();
    const Matrix<double> k = generator.normal(tokens, width).cast<double>();
    const Matrix<double> v = generator.normal(tokens, width).cast<double>();
    mha::expect_close(all_heads(q, k, v, heads), expected_heads(q, k, v, heads),
                      1e-12,
                      fmt::format("tokens: {}, heads: {}, columns a head: {}",
                                  tokens, heads, width / heads),
                      "Column block h of the result is what head h returns.");
  }
}

TEST_CASE("one head is attention itself") {
  mha::TorchGenerator generator(11);
  const Matrix<double> q = generator.normal(5, 3).cast<double>();
  const Matrix<double> k = generator.normal(5, 3).cast<double>();
  const Matrix<double> v = generator.normal(5, 3).cast<double>();
  mha::expect_close(all_heads(q, k, v, 1), mha::attention(q, k, v).context,
                    1e-12, "5 tokens, 1 head, 3 columns",
                    "With one head there is nothing to merge.");
}
