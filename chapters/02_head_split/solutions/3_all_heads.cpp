// Solution 2.3: Right shape, wrong rows
//
// The run held all of head 0, then all of head 1: heads first. Reading it as a
// matrix with one token a row moves nothing, so row 0 got the first tokens of
// head 0, and later rows got the rest. The number of floats is the same either
// way, and no check of shapes can object. With one head, or one token, the two
// orders are the same order, and the bug has no effect.
//
// Writing each head into its own columns puts every number where it belongs at
// once. There is no second layout left to confuse with the first.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

mha::Matrix<double> all_heads(const mha::Matrix<double>& q,
                              const mha::Matrix<double>& k,
                              const mha::Matrix<double>& v,
                              mha::Index n_heads) {
  const mha::Index d_head = q.cols() / n_heads;
  mha::Matrix<double> rows(q.rows(), q.cols());
  for (mha::Index h = 0; h < n_heads; ++h) {
    mha::head_of(rows, h, d_head) =
        mha::attention(mha::head_of(q, h, d_head), mha::head_of(k, h, d_head),
                       mha::head_of(v, h, d_head))
            .context;
  }
  return rows;
}
