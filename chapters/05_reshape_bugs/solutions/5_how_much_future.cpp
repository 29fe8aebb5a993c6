// Solution 5.5: How much of the future
//
// Block p is head p / T and token p mod T, and it lands in row p / H. Numbered
// from the other end, the block's token becomes T - 1 less it, and so does its
// row: later and earlier change places. Hence there are as many blocks from
// later tokens as from earlier ones, and the answer is (T H - E) / 2, where E
// counts the blocks in the row of their own token.
//
// Block a T + j is in row j if j H <= a T + j < j H + H, that is, if j (H - 1)
// lies above a T - H and not above a T. Among H numbers in a row there is one
// multiple of H - 1, and a second one exactly if the last of them, a T, is a
// multiple itself. For a = 0 the second one belongs to j = -1, and for a = H -
// 1 the last belongs to j = T: neither is a token. For the heads in between
// both are. H - 1 divides a T if and only if (H - 1) / g divides a, with g =
// gcd(T, H - 1), and of those a there are g - 1 between 0 and H - 1. So E = H +
// g - 1. With H = 1, where gcd(T, 0) = T, this is T, as it should be.
//
// For a long text E is next to nothing: half of all that the heads found is
// handed to an earlier token, in a layer whose every mask is right. No wonder
// if the loss falls to almost nothing.
//
// The layer that is raw at both ends leaks nothing. It reads row j of head a
// from block a T + j, and what it finds it puts back into the same block. Its
// mask lets a block read only blocks of its head that lie before it in memory,
// and memory holds the tokens in their order: what lies before belongs to no
// later token. Heads and tokens are mixed all the same, only never forwards.
#include "exercise/exercise.hpp"

#include <numeric>

mha::Index from_the_future(mha::Index tokens, mha::Index n_heads) {
  const mha::Index in_own_row = n_heads + std::gcd(tokens, n_heads - 1) - 1;
  return (tokens * n_heads - in_own_row) / 2;
}
