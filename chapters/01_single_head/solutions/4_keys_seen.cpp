// Solution 1.4: How far back a new token sees
//
// Under top_left query i stands beside key i and sees i + 1 keys, or all of
// them where there are fewer.
//
// Under bottom_right we count from the end: the last query sees all keys, and a
// query with n others after it sees n fewer. Those others are n_queries - 1 -
// query. With more queries than keys the first ones would see a negative
// number of keys; they see none.
//
// Reading in pieces takes bottom_right. The kept keys come first, so the new
// tokens' own keys are the last ones, and the last query belongs beside the
// last key. Under top_left a single new token sees key 0 and nothing else, not
// even itself. When all is read at once the corners agree, so a test that never
// asks with fewer queries than keys cannot tell which one it has.
#include "exercise/exercise.hpp"

#include "mha/attention.hpp"

#include <algorithm>

mha::Index keys_seen(mha::Causal causal, mha::Index query, mha::Index n_queries,
                     mha::Index n_keys) {
  const mha::Index queries_after = n_queries - 1 - query;
  switch (causal) {
    case mha::Causal::none: return n_keys;
    case mha::Causal::top_left: return std::min(query + 1, n_keys);
    case mha::Causal::bottom_right: break;
  }
  return std::max<mha::Index>(n_keys - queries_after, 0);
}
