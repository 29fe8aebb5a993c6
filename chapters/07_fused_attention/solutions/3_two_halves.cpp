// Solution 7.3: Two halves
//
// Let Z be a total of exponentials. The output of a half is its sum of weighted
// values over its Z, so the output of the whole is (Z_a out_a + Z_b out_b) /
// (Z_a + Z_b): a mixture whose shares are known from the log-sum-exps alone. Of
// scores, keys and values nothing has to be sent.
//
// Only the difference of the two matters for the shares, so the larger is taken
// off first, and large scores do no harm. Two empty halves are set apart, since
// there minus infinity would meet itself.
//
// This is how attention is spread over machines that hold different pieces of a
// text, and over threads when there is only one query.
#include "exercise/exercise.hpp"

#include <algorithm>

struct Part {
  mha::Matrix<double> output;       // (T_q, d_head)
  mha::RowVector<double> log_sum_exp;  // (T_q), natural logarithm
};

Part join(const Part& a, const Part& b) {
  Part whole = a;
  for (mha::Index i = 0; i < a.output.rows(); ++i) {
    const double larger = std::max(a.log_sum_exp(i), b.log_sum_exp(i));
    if (larger == -std::numeric_limits<double>::infinity()) continue;
    const double of_a = std::exp(a.log_sum_exp(i) - larger);
    const double of_b = std::exp(b.log_sum_exp(i) - larger);
    whole.output.row(i) =
        (of_a * a.output.row(i) + of_b * b.output.row(i)) / (of_a + of_b);
    whole.log_sum_exp(i) = larger + std::log(of_a + of_b);
  }
  return whole;
}
