// Exercise 1.4: How far back a new token sees
// kind: implement
// difficulty: 2
// section: hiding-keys
// check: one new token sees every key there is
//
// A causal query sees a run of keys that begins at key 0; what differs is how
// long it is. Write `keys_seen`: it returns how many keys query number `query`
// (counted from 0) may see, of `n_keys`, when `n_queries` are asked together.
//
// With as many queries as keys there is nothing to decide: query 0 sees one
// key, query 1 two. That much is there already. When the numbers differ,
// `mha::Causal::top_left` lines up the first query with the first key, and
// `mha::Causal::bottom_right` the last query with the last key.
// `mha::Causal::none` hides nothing.
//
// A model that writes keeps the keys of all it has read and asks with the new
// tokens only. The checks use your function for that: reading in pieces must
// give what reading all at once gives. Which corner does that take?
//
// hint: Draw the table for 2 queries and 5 keys: a row a query, a column a key.
//   Where does the staircase start for each corner?
// hint: Under top_left query i sees i + 1 keys. Under bottom_right the last
//   query, number n_queries - 1, sees n_keys, and each one before it one less.
// hint: Now 4 queries and 2 keys. No query sees more than 2 keys, and none sees
//   fewer than 0.
#include "exercise/exercise.hpp"

#include "mha/attention.hpp"

mha::Index keys_seen(mha::Causal causal, mha::Index query, mha::Index n_queries,
                     mha::Index n_keys) {
  return query + 1;
}
