// Exercise 2.3: Right shape, wrong rows
// kind: find the bug
// difficulty: 2
// section: common-mistakes
// check: each row holds the heads of its own token
//
// This function attends with every head and returns the heads side by side. It
// keeps what the heads return in one flat run of memory, as a batched kernel
// would. The shape is right, every number is a number some head returned, and
// with one head or with one token the result is correct. With more of both it
// is not.
//
// Find what is wrong and repair it.
//
// hint: Each head's part is computed as it should be. Print `run` for 2 heads,
//   2 tokens and 1 column a head: whose numbers come first, whose second?
// hint: The last line cuts the run into rows, from its start. Which tokens and
//   which heads do the numbers of row 0 belong to?
// hint: The run is heads first, the rows are tokens first. No floats are moved
//   between the two, so somewhere they must be.
// hint: Make a matrix of T rows and give each head its columns:
//   `mha::head_of(rows, h, d_head) = ...`. The run is then not needed.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

#include <vector>

// q, k, v: (T, n_heads d_head); returns the heads side by side, of that shape.
mha::Matrix<double> all_heads(const mha::Matrix<double>& q,
                              const mha::Matrix<double>& k,
                              const mha::Matrix<double>& v,
                              mha::Index n_heads) {
  const mha::Index d_head = q.cols() / n_heads;
  std::vector<double> run;
  for (mha::Index h = 0; h < n_heads; ++h) {
    const mha::Matrix<double> context =
        mha::attention(mha::head_of(q, h, d_head), mha::head_of(k, h, d_head),
                       mha::head_of(v, h, d_head))
            .context;
    run.insert(run.end(), context.data(), context.data() + context.size());
  }
  return Eigen::Map<mha::Matrix<double>>(run.data(), q.rows(), q.cols());
}
