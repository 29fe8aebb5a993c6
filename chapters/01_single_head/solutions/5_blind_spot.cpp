// Solution 1.5: What two heads do not see
//
// The heads together read `weights * values`. Add D to the values and they read
// `weights * D` more. So no head notices D when every column of D lies in the
// kernel of `weights`, and each head notices it otherwise.
//
// The kernel of H rows over n sources has n - r dimensions, where r is the
// number of linearly independent rows: at most H. With fewer heads than sources
// it is never empty, whatever the heads have learned. Two heads over three
// sources leave one direction unseen in every column of the values; two heads
// that look alike leave two.
//
// Nothing is hidden exactly when r = n: there must be as many heads as sources,
// and they must differ. Having many heads is not enough if they agree.
//
// For two heads and three sources the cross product of the rows spans the
// kernel, unless the rows are equal; then it is zero, and the kernel is larger.
#include "exercise/exercise.hpp"

#include <Eigen/Dense>

mha::Matrix<double> other_values(const mha::Matrix<double>& weights,
                                 const mha::Matrix<double>& values) {
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(weights);
  if (lu.dimensionOfKernel() == 0) return values;
  const Eigen::VectorXd unseen = lu.kernel().col(0);
  mha::Matrix<double> other = values;
  other.col(0) += unseen / unseen.cwiseAbs().maxCoeff();
  return other;
}
