// Solution 9.2: A tokenizer that looks ahead
//
// The best cut up to a place ends in some piece, and what is before that piece
// is the best cut up to where it begins: were there a better one, one could put
// it there. So a table of the best sums, from left to right, needs one look at
// each piece that can end at each place. The time grows with the length of the
// text times that of the longest piece.
//
// This is Viterbi's algorithm. The walk back at the end is needed because only
// at the end is it known which of the half-finished cuts has won.
#include "exercise/exercise.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

using Pieces = std::map<std::string, double>;

std::vector<std::string> best_cut(const Pieces& pieces,
                                  const std::string& text) {
  std::size_t longest = 0;
  for (const auto& piece : pieces) {
    longest = std::max(longest, piece.first.size());
  }
  std::vector<double> best(text.size() + 1,
                           -std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begins(text.size() + 1, 0);
  best[0] = 0;
  for (std::size_t end = 1; end <= text.size(); ++end) {
    for (std::size_t n = 1; n <= std::min(longest, end); ++n) {
      const auto found = pieces.find(text.substr(end - n, n));
      if (found == pieces.end()) continue;
      const double sum = best[end - n] + found->second;
      if (sum > best[end]) best[end] = sum, begins[end] = end - n;
    }
  }
  std::vector<std::string> cut;
  for (std::size_t end = text.size(); end > 0; end = begins[end]) {
    cut.push_back(text.substr(begins[end], end - begins[end]));
  }
  std::reverse(cut.begin(), cut.end());
  return cut;
}
