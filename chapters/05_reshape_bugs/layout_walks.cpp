#include "layout_walks.hpp"

#include "walks.hpp"

#include <fmt/format.h>

#include <vector>

namespace gallery {

// [split walks]
// Three tokens of two heads of width 2, and what four splits read for head 1.
std::string draw_split_walks() {
  std::vector<std::string> cells;
  for (int t = 0; t < 3; ++t) {
    for (const char* name : {"{}a", "{}a", "{}b", "{}b"}) {
      cells.push_back(fmt::format(fmt::runtime(name), t));
    }
  }
  return walks::draw_strips(
      "What four splits read for head 1",
      "Four strips of the same 12 floats: two of head a and two of head b for "
      "each of three tokens. The right split reads head b's two of every "
      "token. The raw split reads the last six floats. The interleaved split "
      "reads every other float. The column-major map jumps by columns.",
      {{"right: head b of every token", cells, {{3, 2}, {4, 1}, 2}},
       {"raw-split: the second half of memory", cells, {{3, 2}, {2, 1}, 6}},
       {"interleaved-heads: every other float", cells, {{3, 2}, {4, 2}, 1}},
       {"column-major-map: by columns of three", cells, {{3, 2}, {1, 3}, 6}}});
}
// [split walks]

// [packed walks]
// One token's packed row, stored head after head.
std::string draw_packed_walks() {
  const std::vector<std::string> cells = {"qa", "qa", "ka", "ka", "va", "va",
                                          "qb", "qb", "kb", "kb", "vb", "vb"};
  return walks::draw_strips(
      "What is taken for the queries of a packed row",
      "Two strips of the same row of 12 floats: query, key and value of head "
      "a, then of head b. Read head by head, the queries are the first two "
      "floats of each half. Cut in thirds, they are the first four floats, "
      "two of which are a key.",
      {{"right: the queries of both heads", cells, {{2, 2}, {6, 1}, 0}},
       {"packed-thirds: the first third", cells, {{2, 2}, {2, 1}, 0}}});
}
// [packed walks]

// [merge walks]
// What heads leave, heads first, and what token 0 of the merge reads of it.
std::string draw_merge_walks() {
  const std::vector<std::string> cells = {"0a", "0a", "1a", "1a", "2a", "2a",
                                          "0b", "0b", "1b", "1b", "2b", "2b"};
  return walks::draw_strips(
      "What token 0 of a merge reads",
      "Two strips of the same 12 floats: three tokens of head a, then of head "
      "b. The right merge reads token 0 of both heads. The raw merge reads the "
      "first four floats, which are tokens 0 and 1 of head a.",
      {{"right: token 0 of both heads", cells, {{2, 2}, {6, 1}, 0}},
       {"raw-merge: the first row's worth", cells, {{2, 2}, {2, 1}, 0}}});
}
// [merge walks]

// [key walks]
// The keys of three tokens, and which of them head a of token 0 looks at.
std::string draw_key_walks() {
  const std::vector<std::string> cells = {"0a", "0b", "1a", "1b", "2a", "2b"};
  return walks::draw_strips(
      "Which keys one head of one token looks at",
      "Three strips of six keys, one of head a and one of head b for each of "
      "three tokens. The right layer looks at head a's key of every token. "
      "Without the transpose it looks at both keys of its own token. With the "
      "heads in the time axis it looks at all six.",
      {{"right: head a of every token", cells, {{3}, {2}, 0}},
       {"no-transpose: both heads of token 0", cells, {{2}, {1}, 0}},
       {"heads-as-time: everything", cells, {{6}, {1}, 0}}});
}
// [key walks]

// [shared walks]
// Two key/value heads for four query heads, by strides of 0.
std::string draw_shared_walks() {
  const std::vector<std::string> heads = {"a", "b"};
  const std::vector<std::string> tokens = {"0", "1", "2"};
  return walks::draw_strips(
      "Who reads which shared head",
      "Two strips of two key/value heads, read by query heads 0 to 3, and one "
      "of three tokens. Right: a, a, b, b. Tiled: a, b, a, b. Along the "
      "sequence each token is read twice as a key.",
      {{"right: query heads 0 and 1 read a", heads, {{2, 2}, {1, 0}, 0}},
       {"kv-tiled: query heads 0 and 2 read a", heads, {{2, 2}, {0, 1}, 0}},
       {"kv-along-sequence: every key twice", tokens, {{3, 2}, {1, 0}, 0}}});
}
// [shared walks]

// [batch walks]
// Rows of two items of three tokens, and the sequence of item 0.
std::string draw_batch_walks() {
  const std::vector<std::string> cells = {"A0", "A1", "A2", "B0", "B1", "B2"};
  return walks::draw_strips(
      "What is taken for a sequence",
      "Two strips of six rows: tokens 0 to 2 of item A, then of item B. Right: "
      "the three rows of A. Sequence first: token 0 of A and token 0 of B.",
      {{"right: the tokens of A", cells, {{3}, {1}, 0}},
       {"sequence-first: token 0 of A and of B", cells, {{2}, {3}, 0}}});
}
// [batch walks]

}  // namespace gallery
