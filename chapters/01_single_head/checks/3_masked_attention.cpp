#include "exercise/exercise.hpp"

#include "mha/attention.hpp"
#include "mha/generator.hpp"

#include <doctest/doctest.h>

mha::Matrix<double> masked_attention(const mha::Matrix<double>& q,
                                     const mha::Matrix<double>& k,
                                     const mha::Matrix<double>& v,
                                     const mha::BoolMatrix& attends);

namespace {

using mha::Index;
using mha::Matrix;

// Three queries, five keys: no two sizes are equal.
struct Case {
  Matrix<double> q, k, v;
  mha::BoolMatrix attends = mha::BoolMatrix(3, 5);
};

Case make_case(std::uint32_t seed) {
  mha::TorchGenerator generator(seed);
  Case c;
  c.q = generator.normal(3, 2).cast<double>();
  c.k = generator.normal(5, 2).cast<double>();
  c.v = generator.normal(5, 4).cast<double>();
  c.attends << true, false, false, false, false,  //
      true, true, true, false, true,              //
      true, true, true, true, true;
  return c;
}

// A few roundings of numbers of size about 1: far below this.
constexpr double tolerance = 1e-12;

}  // namespace

TEST_CASE("each query shares out 1 among the keys it may see") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Case c = make_case(seed);
    const Matrix<double> ones = Matrix<double>::Ones(5, 1);
    mha::expect_close(
        masked_attention(c.q, c.k, ones, c.attends), Matrix<double>::Ones(3, 1),
        tolerance,
        "every value is 1; query 0 may see one key, query 1 four, query 2 all "
        "five: what do they read?",
        "Shares that sum to 1 can read only 1 here. Where it is less, a part "
        "of the share went to hidden keys, and then to nobody.");
  }
}

TEST_CASE("it reads what attention with this mask reads") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Case c = make_case(seed);
    mha::expect_close(
        masked_attention(c.q, c.k, c.v, c.attends),
        mha::attention(
            c.q, c.k, c.v,
            {.pairs = mha::AttendMask::where_true_attends(c.attends)})
            .context,
        tolerance, "three queries, five keys, some of them hidden",
        "The rows are what the three queries read. Query 0 sees key 0 only, so "
        "its row is value 0.");
  }
}

TEST_CASE("a hidden key that fits best by far changes nothing") {
  Case c = make_case(0);
  const Matrix<double> expected =
      masked_attention(c.q, c.k, c.v, c.attends).row(1);
  c.k.row(3) = 1e4 * c.q.row(1);
  const Matrix<double> got = masked_attention(c.q, c.k, c.v, c.attends);
  mha::expect_close(got.row(1), expected, tolerance,
                    "query 1 may not see key 3, whose score is now thousands "
                    "above all others",
                    "Dividing by the sum of what is left, after the hiding, is "
                    "right on paper. But here the hidden key takes all the "
                    "weight a double can hold, and nothing is left.");
}

TEST_CASE("a query that may see no key reads zeros") {
  Case c = make_case(0);
  c.attends.row(1).setConstant(false);
  const Matrix<double> got = masked_attention(c.q, c.k, c.v, c.attends);
  mha::expect_close(got.row(1), Matrix<double>::Zero(1, 4), 0,
                    "query 1 may see no key",
                    "There is nothing to share out, and 0 divided by 0 is NaN. "
                    "The book's choice is a row of zeros.");
}
