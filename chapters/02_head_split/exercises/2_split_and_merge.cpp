// Exercise 2.2: Split and merge by views
// kind: implement
// difficulty: 2
// section: splitting-without-a-copy
// check: splitting puts each head in one piece
//
// The chapter copies between the two layouts one float at a time. Write both
// directions without a formula for an address, one head at a time.
//
// `split_heads` gets rows of `n_heads * d_head` numbers, one row a token, and
// returns a flat run of numbers, heads first: all of head 0, token after token,
// then all of head 1. `merge_heads` gets such a run and returns the rows.
//
// Two views do the work. `mha::head_of(rows, h, d_head)` is head h where it
// lies among the rows. And memory you already have can be read and written as a
// matrix: `Eigen::Map<mha::Matrix<double>>(address, n_rows, n_columns)` is one,
// stored row by row from `address` on.
//
// hint: The run has as many numbers as the matrix: `rows.size()`. Make it
//   first, then fill it through views.
// hint: Head h of the run is a matrix of T rows and d_head columns. How many
//   numbers lie before it?
// hint: Its address is `flat.data() + h * tokens * d_head`. Assigning one view
//   to another copies the entries: `view_of_the_run = mha::head_of(rows, h,
//   d_head)`.
// hint: Merging is the same line with its two sides swapped. To read from a
//   vector that is const, use `Eigen::Map<const mha::Matrix<double>>`.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

#include <vector>

// rows: (T, n_heads d_head); returns (n_heads, T, d_head), flat.
std::vector<double> split_heads(const mha::Matrix<double>& rows,
                                mha::Index n_heads) {
  return std::vector<double>(rows.data(), rows.data() + rows.size());
}

// flat: (n_heads, T, d_head); returns (T, n_heads d_head).
mha::Matrix<double> merge_heads(const std::vector<double>& flat,
                                mha::Index n_heads, mha::Index tokens) {
  return mha::Matrix<double>::Zero(
      tokens, static_cast<mha::Index>(flat.size()) / tokens);
}
