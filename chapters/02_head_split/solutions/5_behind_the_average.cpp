// Solution 2.5: Behind the average
//
// Take one row, a, with its favourite f. The heads' weights for f add up to
// H a(f), and no head gives more than 1, so the other H - 1 heads can take at
// most H - 1 of it. Head 0 must give max(0, H a(f) - (H - 1)), and can do with
// that little:
//
// If H a(f) is at most H - 1, head 0 spreads its 1 over the other keys as a
// does, a(j) / (1 - a(f)), and gives f nothing. The other heads share equally
// what is left, H a less that row. For a key j other than f this is a(j) times
// H - 1 / (1 - a(f)), and it is not negative: 1 - a(f) is at least 1 / H.
//
// Otherwise the other heads give f everything and head 0 gets the remainder:
// H a(j) for every other key, H a(f) - (H - 1) for f. These add up to 1.
//
// So with 4 heads an average that gives 3/4 to one key leaves room for a head
// that never looks there. Only an average of 1 says what each head does. The
// argument says what the average leaves open, not what trained heads do: for
// that, ask for the maps themselves.
#include "exercise/exercise.hpp"

#include <vector>

std::vector<mha::Matrix<double>> heads_behind(
    const mha::Matrix<double>& average, mha::Index n_heads) {
  using Row = mha::RowVector<double>;
  const double heads = static_cast<double>(n_heads);
  mha::Matrix<double> first = average, others = average;
  for (mha::Index i = 0; i < average.rows(); ++i) {
    const Row total = heads * average.row(i);
    mha::Index favourite = 0;
    average.row(i).maxCoeff(&favourite);
    Row row = Row::Zero(average.cols());
    if (total(favourite) <= heads - 1) {
      row = average.row(i);
      row(favourite) = 0;
      row /= row.sum();
    } else {
      row = total;
      row(favourite) -= heads - 1;
    }
    first.row(i) = row;
    others.row(i) = (total - row) / (heads - 1);
  }
  std::vector<mha::Matrix<double>> maps(static_cast<std::size_t>(n_heads),
                                        others);
  maps[0] = first;
  return maps;
}
