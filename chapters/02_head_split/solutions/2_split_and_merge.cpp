// Solution 2.2: Split and merge by views
//
// Each head is a matrix of one token a row in both layouts. Only its place
// differs: among the rows it is a block of columns, in the run it is one piece.
// So each head takes one assignment, from one view to the other, and Eigen does
// the counting.
//
// No float's address is worked out here, and the two functions differ only in
// which view stands on the left. That leaves one formula to get wrong, where a
// head begins in the run: h heads of T tokens of d_head numbers lie before it.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

#include <vector>

std::vector<double> split_heads(const mha::Matrix<double>& rows,
                                mha::Index n_heads) {
  const mha::Index tokens = rows.rows();
  const mha::Index d_head = rows.cols() / n_heads;
  std::vector<double> flat(static_cast<std::size_t>(rows.size()));
  for (mha::Index h = 0; h < n_heads; ++h) {
    Eigen::Map<mha::Matrix<double>> piece(flat.data() + h * tokens * d_head,
                                          tokens, d_head);
    piece = mha::head_of(rows, h, d_head);
  }
  return flat;
}

mha::Matrix<double> merge_heads(const std::vector<double>& flat,
                                mha::Index n_heads, mha::Index tokens) {
  const mha::Index width = static_cast<mha::Index>(flat.size()) / tokens;
  const mha::Index d_head = width / n_heads;
  mha::Matrix<double> rows(tokens, width);
  for (mha::Index h = 0; h < n_heads; ++h) {
    const Eigen::Map<const mha::Matrix<double>> piece(
        flat.data() + h * tokens * d_head, tokens, d_head);
    mha::head_of(rows, h, d_head) = piece;
  }
  return rows;
}
