#include "relation_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

namespace trained {

// [wilson]
Interval wilson(Index hits, Index n, double z) {
  mha::require(n >= 1 && hits >= 0 && hits <= n,
               "an interval needs hits of 0 to n, not {} of {}", hits, n);
  const double count = static_cast<double>(n);
  const double share = static_cast<double>(hits) / count;
  const double grown = 1 + z * z / count;
  const double middle = (share + z * z / (2 * count)) / grown;
  const double half =
      z * std::sqrt(share * (1 - share) / count + z * z / (4 * count * count)) /
      grown;
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}
// [wilson]

// [sign flips]
double sign_flips(const std::vector<Index>& differences) {
  Index observed = 0;
  std::map<Index, double> sums{{0, 1}};  // each with its probability
  for (const Index difference : differences) {
    observed += difference;
    std::map<Index, double> longer;
    for (const auto& [sum, probability] : sums) {
      longer[sum + difference] += probability / 2;
      longer[sum - difference] += probability / 2;
    }
    sums = std::move(longer);
  }
  double p = 0;
  for (const auto& [sum, probability] : sums) {
    if (std::abs(sum) >= std::abs(observed)) p += probability;
  }
  return p;
}
// [sign flips]

// [holm]
std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double highest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double left = static_cast<double>(p.size() - i);
    highest = std::max(highest, std::min(1.0, left * p[order[i]]));
    corrected[order[i]] = highest;
  }
  return corrected;
}
// [holm]

}  // namespace trained
