// Solution 4.4: A second slot
//
// On a line only the two ends are furthest in some direction. On a circle every
// point is. So a second slot lifts the limit from two favourites to as many as
// there are tokens.
//
// It has a price. Neighbours on the circle come close as it fills up:
// 1 - cos(2 pi / T) shrinks like 2 pi^2 / T^2. To stay ahead of them by
// log(9 (T - 1)), the radius has to grow like T times the root of log T, and
// the scores like T^2 log T. Trained weights of ordinary size do not get there,
// so a head of two slots can be exact about few tokens and is vague about many.
#include "exercise/exercise.hpp"

#include <cmath>

mha::Matrix<double> places(mha::Index tokens) {
  const double n = static_cast<double>(tokens);
  const double step = 2 * std::acos(-1.0) / n;
  const double radius = std::sqrt(std::sqrt(2.0) * std::log(9 * (n - 1)) /
                                  (1 - std::cos(step)));
  mha::Matrix<double> rows(tokens, 2);
  for (mha::Index t = 0; t < tokens; ++t) {
    const double angle = step * static_cast<double>(t);
    rows.row(t) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return rows;
}
