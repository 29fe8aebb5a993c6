// Exercise 5.5: How much of the future
// kind: prove or measure
// difficulty: 3
// section: a-layer-in-steps
// check: it counts what comes from later tokens
//
// A causal layer has T tokens and H heads. Every step of it is right but the
// last: what the heads found lies in memory as `(H, T, d_head)`, and is handed
// on as `(T, H d_head)` without a transpose. Think of memory as T H blocks,
// each what one head found for one token. The merge puts each block into the
// row of some token, and if that token comes before the block's own, its row
// has seen the future.
//
// Write `from_the_future`: how many of the T H blocks stand in the row of an
// earlier token. Measure it first. Then find a formula and prove it, since the
// last check asks for more tokens than a loop can count.
//
// When you have it, run `./mha run 5 --case raw-split`. That layer is raw at
// both ends, on the way in and on the way out, and the check of later tokens is
// not among those that fail. Why not?
//
// hint: Block p in memory belongs to head p / T and token p mod T. In whose row
//   does it land? To measure is to count over p.
// hint: The count is close to half of all blocks. Number the memory from the
//   other end: block p becomes T H - 1 - p. What becomes of its token, and of
//   the token in whose row it lands? What does that say about the blocks that
//   come from an earlier token?
// hint: As many come from earlier tokens as from later ones. So let E be the
//   number of blocks in the row of their own token, from whatever head; the
//   answer is (T H - E) / 2. Print E for small T and H. When is it more than H?
// hint: Block a T + j, head a and token j, is in its own row if j H <= a T + j
//   < j H + H, so if the multiple j (H - 1) is one of the H numbers up to a T.
//   How many multiples of H - 1 are there among H numbers in a row?
// hint: One for every head, and two for a head with a T divisible by H - 1,
//   save the first and the last head, where one of the two is no token. There
//   are gcd(T, H - 1) - 1 such heads in between.
#include "exercise/exercise.hpp"

mha::Index from_the_future(mha::Index tokens, mha::Index n_heads) { return 0; }
