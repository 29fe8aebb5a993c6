// Solution 2.4: Eight heads, one slot each
//
// With one slot a score is a product of two numbers, q(i) k(j). The query
// multiplies every key by the same number, so it can stretch the order of the
// keys, or turn it round if it is negative, and that is all. A token with a
// positive query finds the largest key, one with a negative query the smallest.
// (A query of exactly 0 gives all keys the same weight, and any of them will
// do.) So a head has two favourites at most, and most tokens share one. Every
// other key is never anybody's favourite in this head, whatever is asked.
//
// The rows of such a map differ in how sharply they look, not in what they look
// for. In the words of matrices: the scores are the product of a column and a
// row, a table of rank 1.
//
// With more slots it is a matter of corners. A query picks the key that lies
// furthest in its direction, so only keys at the corners of the cloud of keys
// can be favourites. On a line there are two corners. On a plane there can be
// as many as keys, which is why a second slot helps so much.
#include "exercise/exercise.hpp"

#include <vector>

std::vector<mha::Index> favourites(const mha::RowVector<double>& queries,
                                   const mha::RowVector<double>& keys) {
  mha::Index largest = 0, smallest = 0;
  keys.maxCoeff(&largest);
  keys.minCoeff(&smallest);
  std::vector<mha::Index> places;
  for (const double query : queries) {
    places.push_back(query >= 0 ? largest : smallest);
  }
  return places;
}

mha::Index most_favourites() { return 2; }
