#include "traffic.hpp"

#include "mha/matrix.hpp"

namespace cuda_port {
namespace {

// [counts of a call]
// Segments of a row of `width` floats, and of all rows together.
struct Parts {
  Index row, q, k, scores;
};

Parts parts(const Sizes& s) {
  const Index row = s.width / 8;
  return {row, s.batch * s.queries * s.heads * row,
          s.batch * s.keys * s.kv_heads * row,
          s.batch * s.heads * s.queries * s.keys / 8};
}
// [counts of a call]

}  // namespace

// [least]
Index least_segments(const Sizes& s) {
  return 2 * parts(s).q + 2 * parts(s).k;
}

Index operations(const Sizes& s) {
  return 4 * s.batch * s.heads * s.queries * s.keys * s.width;
}
// [least]

// [formula]
std::vector<Moved> moved_by_formula(const Sizes& s) {
  mha::require(s.queries % 64 == 0 && s.keys % 64 == 0 && s.width % 32 == 0 &&
                   !s.causal,
               "the formulas are for multiples of 64 queries and keys and 32 "
               "columns without a mask, not for {} queries, {} keys and {} "
               "columns", s.queries, s.keys, s.width);
  const Parts p = parts(s);
  const Index maps = s.batch * s.heads;  // of scores
  // Warps of 32 threads: for all scores, all rows, all outputs.
  const Index score_warps = maps * s.queries * s.keys / 32;
  const Index row_warps = maps * s.queries / 32;
  const Index out_warps = maps * s.queries * s.width / 32;
  const Index keys_and_values = 2 * s.keys * p.row;  // of one head
  const Index group = s.heads / s.kv_heads;
  return {
      // One number of a query for all lanes, 32 keys far apart.
      {"scores_kernel", score_warps * s.width * (1 + 32), p.scores},
      // 32 rows at a time, far apart: three readings, two writings.
      {"softmax_kernel", row_warps * s.keys * 3 * 32,
       row_warps * s.keys * 2 * 32},
      // One weight for all lanes, 32 values side by side.
      {"context_kernel", out_warps * s.keys * (1 + 4), p.q},
      // Each of the two tables, once for each 32 rows of the other.
      {"tiled_scores",
       s.keys / 32 * p.q + s.queries / 32 * maps * s.keys * p.row, p.scores},
      {"softmax_rows", 3 * p.scores, 2 * p.scores},
      {"tiled_context", s.width / 32 * p.scores +
                            s.queries / 32 * maps * s.keys * p.row, p.q},
      // Keys and values once for each block of queries.
      {"fused_attention_kernel",
       p.q + s.queries / 32 * maps * keys_and_values, p.q},
      {"register_tiles", p.q + s.queries / 64 * maps * keys_and_values, p.q},
      {"grouped_tiles",
       p.q + s.queries * group / 64 * s.batch * s.kv_heads * keys_and_values,
       p.q},
      {"grouped_tiles_bf16",
       (p.q + s.queries * group / 64 * s.batch * s.kv_heads *
                  keys_and_values) / 2, p.q / 2},
  };
}
// [formula]

}  // namespace cuda_port
