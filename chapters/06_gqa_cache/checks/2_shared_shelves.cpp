#include "exercise/exercise.hpp"

#include "mha/generator.hpp"
#include "mha/grouped_attention.hpp"

#include <doctest/doctest.h>

mha::Matrix<double> decode_one(const mha::Matrix<double>& q,
                               const mha::Matrix<double>& k,
                               const mha::Matrix<double>& v,
                               mha::Index n_heads, mha::Index n_kv_heads);

namespace {

using mha::Index;

void expect_right(Index n_heads, Index n_kv_heads, const char* lesson) {
  mha::TorchGenerator generator(62);
  const auto draw = [&](Index rows, Index heads) -> mha::Matrix<double> {
    return generator.normal(rows, heads * 2).cast<double>();
  };
  const mha::Matrix<double> q = draw(1, n_heads), k = draw(5, n_kv_heads),
                            v = draw(5, n_kv_heads);
  mha::expect_close(decode_one(q, k, v, n_heads, n_kv_heads),
                    mha::grouped_attention(q, k, v, n_heads, n_kv_heads),
                    1e-12,
                    fmt::format("{} heads on {}, 5 tokens, d_head 2", n_heads,
                                n_kv_heads),
                    lesson);
}

}  // namespace

TEST_CASE("grouped heads read their own keys and values") {
  expect_right(4, 2, "Heads 0 and 1 share key/value head 0, and heads 2 and 3 "
                     "share 1.");
  expect_right(8, 2, "Right for 4 on 2, and not for 8 on 2? Divide by the size "
                     "of a group, not by the number of groups.");
  expect_right(6, 3, "Neighbours share: heads 0, 1 read 0; heads 2, 3 read 1; "
                     "heads 4, 5 read 2.");
  expect_right(12, 2, "Six neighbours share one key/value head.");
}

TEST_CASE("with as many key/value heads each has its own") {
  expect_right(3, 3, "A group has one head here.");
}

TEST_CASE("with one key/value head all share it") {
  expect_right(5, 1, "All five heads are one group.");
}
