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
      "a, then of head b. Read head by head, the queries are the first two floats "
      "of each half. Cut in thirds, they are the first four floats, two of "
      "which are a key.",
      {{"right: the queries of both heads", cells, {{2, 2}, {6, 1}, 0}},
       {"packed-thirds: the first third", cells, {{2, 2}, {2, 1}, 0}}});
}
// [packed walks]

}  // namespace gallery
