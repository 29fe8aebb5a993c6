// Exercise 2.4: Eight heads, one slot each
// kind: prove or measure
// difficulty: 2
// section: try-it
// check: each token's favourite follows from its query and the keys
//
// Set 8 heads on width 8, so that each head has one slot: one number to ask
// with and one to be found by. Run `./mha run 2 --heads 8 --tokens 12` and read
// the table of favourites row by row. A head of 12 tokens could have 12
// different favourites. These do not. Why?
//
// Write `favourites` for one such head. It gets a query and a key for every
// token, one number each, and returns for every token the key it gives most
// weight to. You need no softmax and no table of scores.
//
// Then let `most_favourites` return how many different favourites one such head
// can have at most, however many tokens there are. Say in a comment why, in two
// or three sentences. The checks hold both against real layers.
//
// hint: With one slot the score of query i and key j is one product, q(i) times
//   k(j). Softmax keeps the order, so the favourite is the key with the largest
//   product.
// hint: Take a query of 0.1 and one of 100, and the keys 3, -5 and 2. Which key
//   wins for each? Now a query of -1.
// hint: A positive query finds the largest key, a negative one the smallest.
//   `keys.maxCoeff(&place)` finds where the largest stands.
#include "exercise/exercise.hpp"

#include <vector>

// queries, keys: (1, T), one number a token; returns T places in keys.
std::vector<mha::Index> favourites(const mha::RowVector<double>& queries,
                                   const mha::RowVector<double>& keys) {
  return std::vector<mha::Index>(static_cast<std::size_t>(queries.size()), 0);
}

mha::Index most_favourites() { return 0; }

// Why:
