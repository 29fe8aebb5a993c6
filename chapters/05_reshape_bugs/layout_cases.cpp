#include "cases.hpp"

#include "mha/battery.hpp"

namespace gallery {
namespace {

// [raw-split]
// Reads an item's floats, as they lie, as (heads, tokens, d_head).
Numbers take_raw(const Rows& rows, Index b, Index h) {
  const Index size = rows.tokens() * rows.d_head();
  return Eigen::Map<const Numbers>(
      rows.matrix.data() + (b * rows.heads + h) * size, rows.tokens(),
      rows.d_head());
}

// Writes (heads, tokens, d_head) into the output as it lies.
void put_raw(Numbers& output, const Numbers& context, const Call& call,
             Index b, Index h) {
  Eigen::Map<Numbers>(
      output.data() + (b * call.n_heads + h) * context.size(), context.rows(),
      context.cols()) = context;
}

Case raw_split() {
  return {.name = "raw-split",
          .symptom = "right with one head; tokens are mixed with several",
          .mend = "view(B, T, H, d).transpose(1, 2) instead of "
                  "view(B, H, T, d)",
          .steps = {.take = take_raw, .put = put_raw},
          .reports = {{"A1", "it equals the loop over heads, with sizes that "
                             "all differ"}},
          .shown_on = mha::fixture_call()};
}
// [raw-split]

// [raw-merge]
Case raw_merge() {
  const std::string token_0 =
      "token 0 of the output holds row 0 of every head";
  return {.name = "raw-merge",
          .symptom = "easy tasks are still learned; the future leaks",
          .mend = "transpose(1, 2) before reshape(B, T, H d)",
          .steps = {.put = put_raw},
          .reports = {{"A2", token_0},
                      {"A3", token_0},
                      {"A7", "it equals the loop over heads, with sizes that "
                             "all differ"},
                      {"A12", "a causal row does not depend on later "
                              "tokens"}},
          .shown_on = mha::fixture_call()};
}
// [raw-merge]

// [transposed-view]
// The split that was accused: (tokens, heads, d_head), then the two exchanged.
Numbers take_transposed(const Rows& rows, Index b, Index h) {
  Numbers head(rows.tokens(), rows.d_head());
  for (Index t = 0; t < head.rows(); ++t) {
    for (Index c = 0; c < head.cols(); ++c) {
      const Index token = b * rows.tokens() + t;
      head(t, c) = rows.matrix.data()[(token * rows.heads + h) *
                                          rows.d_head() + c];
    }
  }
  return head;
}

Case transposed_view() {
  return {.name = "transposed-view",
          .symptom = "looks roundabout; somebody wants to shorten it",
          .steps = {.take = take_transposed},
          .reports = {{"A8", "it equals the loop over heads, with sizes that "
                             "all differ"}},
          .shown_on = mha::fixture_call(),
          .verdict = Verdict::no_bug};
}
// [transposed-view]

// [fold heads]
// Reads the rows as `items` items of short tokens, one for each head of a
// token. (It knows no masks.)
Call fold_heads(const Call& call, Index items) {
  refuse_bad_shapes(call);
  const Index d = d_head_of(call);
  const auto fold = [&](const Numbers& rows) -> Numbers {
    return rows.reshaped<Eigen::RowMajor>(rows.size() / d, d);
  };
  return {.q = fold(call.q), .k = fold(call.k), .v = fold(call.v),
          .batch = items, .kv_batch = items};
}

Numbers unfold_heads(const Numbers& output, const Call& call) {
  return output.reshaped<Eigen::RowMajor>(call.q.rows(), call.q.cols());
}
// [fold heads]

// [no-transpose]
// Attends among the heads of each token: no token sees another.
Call among_the_heads(const Call& call) {
  if (call.q.rows() != call.k.rows()) return call;
  return fold_heads(call, call.q.rows());
}

Case no_transpose() {
  return {.name = "no-transpose",
          .symptom = "no token ever sees another; each sees itself, in parts",
          .mend = "transpose(1, 2) before the scores, so that heads "
                  "come before tokens",
          .rewrite = {among_the_heads, unfold_heads},
          .shown_on = mha::fixture_call()};
}
// [no-transpose]

// [heads-as-time]
// Attends among all heads of all tokens.
Call heads_in_the_time_axis(const Call& call) {
  return fold_heads(call, call.batch);
}

Case heads_as_time() {
  return {.name = "heads-as-time",
          .symptom = "right shape; heads see each other",
          .mend = "keep the heads an axis of their own; reshape to "
                  "(B, H, T, d)",
          .rewrite = {heads_in_the_time_axis, unfold_heads},
          .reports = {{"A4", "it equals the loop over heads, with sizes that "
                             "all differ"}},
          .shown_on = mha::fixture_call()};
}
// [heads-as-time]

// [interleaved-heads]
// Channel c goes to head c mod H.
Numbers take_every_other(const Rows& rows, Index b, Index h) {
  Numbers head(rows.tokens(), rows.d_head());
  for (Index c = 0; c < head.cols(); ++c) {
    head.col(c) = rows.matrix.col(c * rows.heads + h)
                      .segment(b * rows.tokens(), rows.tokens());
  }
  return head;
}

Case interleaved_heads() {
  return {.name = "interleaved-heads",
          .symptom = "harmless in a new layer; loaded weights give nonsense",
          .mend = "view(T, H, d), not view(T, d, H); or reorder the "
                  "loaded rows",
          .steps = {.take = take_every_other},
          .shown_on = mha::fixture_call()};
}
// [interleaved-heads]

// [column-major-map]
// Eigen's default map reads column after column; the buffer holds row after
// row.
Numbers take_by_columns(const Rows& rows, Index b, Index h) {
  const Eigen::Map<const Eigen::MatrixXd> wrong(
      rows.matrix.data(), rows.matrix.rows(), rows.matrix.cols());
  return wrong.block(b * rows.tokens(), h * rows.d_head(), rows.tokens(),
                     rows.d_head());
}

Case column_major_map() {
  return {.name = "column-major-map",
          .symptom = "right shape; every number at another place",
          .mend = "give Eigen::Map a row-major matrix type",
          .steps = {.take = take_by_columns},
          .reports = {{"A11", "it equals the loop over heads, with sizes that "
                              "all differ"}},
          .shown_on = mha::fixture_call()};
}
// [column-major-map]

// [packed-thirds]
// A checkpoint stores rows of (q, k, v) head after head; the loader cuts the
// row in thirds.
Call thirds_of_interleaved(const Call& call) {
  if (call.q.rows() != call.k.rows() || call.q.cols() != call.k.cols()) {
    return call;  // not packed: cross-attention or shared heads
  }
  const Index d = d_head_of(call), width = call.q.cols();
  Numbers packed(call.q.rows(), 3 * width);
  for (Index h = 0; h < call.n_heads; ++h) {
    packed.middleCols(3 * h * d, d) = call.q.middleCols(h * d, d);
    packed.middleCols((3 * h + 1) * d, d) = call.k.middleCols(h * d, d);
    packed.middleCols((3 * h + 2) * d, d) = call.v.middleCols(h * d, d);
  }
  Call loaded = call;
  loaded.q = packed.leftCols(width);
  loaded.k = packed.middleCols(width, width);
  loaded.v = packed.rightCols(width);
  return loaded;
}

Case packed_thirds() {
  return {.name = "packed-thirds",
          .symptom = "a loaded model writes fluent nonsense",
          .mend = "view(T, H, 3, d) before q, k and v are taken apart",
          .rewrite = {thirds_of_interleaved},
          .shown_on = mha::fixture_call()};
}
// [packed-thirds]

// [kv-tiled]
Call two_kv_heads() {
  return mha::random_call(
      31, {.t_q = 3, .n_heads = 4, .n_kv_heads = 2, .d_head = 2});
}

// Repeats the key/value heads as a b a b, where a a b b is meant.
Index kv_head_tiled(Index h, const Call& call) { return h % call.n_kv_heads; }

Case kv_tiled() {
  return {.name = "kv-tiled",
          .symptom = "right for one key/value head, and for as many as heads",
          .mend = "repeat_interleave, not repeat: kv = h / (H / G)",
          .steps = {.kv_head = kv_head_tiled},
          .shown_on = two_kv_heads()};
}
// [kv-tiled]

// [kv-along-sequence]
// Repeats keys and values along the tokens, where the heads were meant.
Call repeat_along_the_sequence(const Call& call) {
  const Index times = call.n_heads / call.n_kv_heads;
  Call longer = call;
  longer.k.resize(call.k.rows() * times, call.k.cols());
  longer.v.resize(call.v.rows() * times, call.v.cols());
  for (Index t = 0; t < longer.k.rows(); ++t) {
    longer.k.row(t) = call.k.row(t / times);
    longer.v.row(t) = call.v.row(t / times);
  }
  return longer;
}

Case kv_along_sequence() {
  return {.name = "kv-along-sequence",
          .symptom = "twice the keys; right until there is a mask",
          .mend = "repeat along the axis of the heads",
          .rewrite = {repeat_along_the_sequence},
          .reports = {{"A13", "the weights have one map a head and one column "
                              "a key"}},
          .shown_on = two_kv_heads()};
}
// [kv-along-sequence]

}  // namespace

// [layout cases]
std::vector<Case> layout_cases() {
  return {raw_split(),         raw_merge(),        transposed_view(),
          no_transpose(),      heads_as_time(),    interleaved_heads(),
          column_major_map(),  packed_thirds(),    kv_tiled(),
          kv_along_sequence()};
}
// [layout cases]

}  // namespace gallery
