#include "own_directions.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <numeric>

namespace diagnose {
namespace {

constexpr Index most_directions = 8;
// What the others may leave in the directions, of the size of w_o.
constexpr double leak = 1e-10;

}  // namespace

std::optional<OwnDirections> own_directions(const Numbers& w_o,
                                            Index most_columns) {
  const Index width = w_o.rows(), d_model = w_o.cols();
  const Index count = std::min(most_columns, (width + 1) / 2);
  const Index first = width / 2, others = width - count;
  const Index left = std::min(width, d_model) - others;
  if (left < 1 || !w_o.allFinite()) return {};

  // The others' rows first: what is left of the own rows is orthogonal to them.
  Eigen::MatrixXd rows(d_model, width);
  rows.leftCols(first) = w_o.topRows(first).transpose();
  rows.middleCols(first, others - first) =
      w_o.bottomRows(others - first).transpose();
  rows.rightCols(count) = w_o.middleRows(first, count).transpose();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows);
  const Eigen::MatrixXd own = qr.matrixQR()
                                  .block(others, others, left, count)
                                  .triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(own, Eigen::ComputeThinU);
  const Index n = std::min({most_directions, left, count});
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(d_model, n);
  directions.middleRows(others, left) = svd.matrixU().leftCols(n);
  directions.applyOnTheLeft(qr.householderQ());

  OwnDirections result;
  result.columns.resize(static_cast<std::size_t>(count));
  std::iota(result.columns.begin(), result.columns.end(), first);
  result.of_output = directions;
  const Numbers written = w_o * result.of_output;
  result.of_columns = written.middleRows(first, count);
  const double most = leak * w_o.norm();
  if (written.topRows(first).norm() > most ||
      written.bottomRows(others - first).norm() > most) {
    return {};
  }
  return result;
}

}  // namespace diagnose
