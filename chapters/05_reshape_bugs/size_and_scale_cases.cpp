#include "cases.hpp"

#include "mha/battery.hpp"

#include <cmath>

namespace gallery {
namespace {

// [truncated-head]
Case truncated_head() {
  Call uneven = mha::random_call(32, {.t_q = 2, .d_head = 8});
  uneven.n_heads = uneven.n_kv_heads = 3;  // 8 / 3 is 2, and 2 columns are left
  return {.name = "truncated-head",
          .symptom = "fails far away, or loses columns without a word",
          .mend = "refuse a head count that does not divide the width",
          .steps = {.check = refuse_bad_batches},
          .reports = {{"B1", "a head count that does not divide the width is "
                             "refused"}},
          .shown_on = uneven};
}
// [truncated-head]

// [broadcast-batch]
Case broadcast_batch() {
  Call mismatched = mha::random_call(33, {.batch = 2, .t_q = 2, .d_head = 4});
  mismatched.q = mismatched.q.topRows(2).eval();
  mismatched.batch = 1;
  return {.name = "broadcast-batch",
          .symptom = "more items come out than went in",
          .mend = "refuse batches of different sizes",
          .steps = {.check = refuse_bad_heads},
          .reports = {{"B8", "batches of different sizes are refused"}},
          .shown_on = mismatched};
}
// [broadcast-batch]

// [sqrt-d-model]
double by_root_of_d_model(const Call& call) {
  return call.options.scale.value_or(
      1 / std::sqrt(static_cast<double>(call.q.cols())));
}

Case sqrt_d_model() {
  return {.name = "sqrt-d-model",
          .symptom = "trains, with weights too even; worse with more heads",
          .mend = "divide by sqrt(d_head), not by sqrt(d_model)",
          .steps = {.scale = by_root_of_d_model},
          .reports = {{"C1", "the scale is one over the root of d_head"}},
          .shown_on = mha::fixture_call()};
}
// [sqrt-d-model]

// [no-scale]
double unscaled(const Call& call) { return call.options.scale.value_or(1); }

Case no_scale() {
  return {.name = "no-scale",
          .symptom = "weights too sharp, small gradients at large widths",
          .mend = "divide the scores by sqrt(d_head)",
          .steps = {.scale = unscaled},
          .shown_on = mha::fixture_call()};
}
// [no-scale]

// [one-over-d]
double by_d_head(const Call& call) {
  return call.options.scale.value_or(
      1 / static_cast<double>(d_head_of(call)));
}

Case one_over_d() {
  return {.name = "one-over-d",
          .symptom = "the paper's text and its code disagree",
          .mend = "divide by sqrt(d_head) once: not twice, and not by "
                  "d_head",
          .steps = {.scale = by_d_head},
          .reports = {{"C5", "the scale is one over the root of d_head"}},
          .shown_on = mha::fixture_call()};
}
// [one-over-d]

// [scale-from-d-head]
double always_from_d_head(const Call& call) {
  return 1 / std::sqrt(static_cast<double>(d_head_of(call)));
}

Case scale_from_d_head() {
  Call gemma = mha::fixture_call();
  gemma.options.scale = 1 / std::sqrt(6.0);  // not 1 / sqrt(4)
  return {.name = "scale-from-d-head",
          .symptom = "slightly off for models that set their own scale",
          .mend = "hand the model's own scale on",
          .steps = {.scale = always_from_d_head},
          .reports = {{"C6", "a scale that is given is used"}},
          .shown_on = gemma};
}
// [scale-from-d-head]

// [scaled-query]
// Scales the finished product, where the library scales the queries.
Numbers score_then_scale(const Numbers& q, const Numbers& k, double scale,
                         const Call& call) {
  Numbers scores = scale * (q * k.transpose()).eval();
  if (mha::is_given(call.options.bias)) scores += call.options.bias;
  return scores;
}

Case scaled_query() {
  return {.name = "scaled-query",
          .symptom = "scales the query; another program scales the score",
          .steps = {.score = score_then_scale},
          .reports = {{"C4", "the scale is one over the root of d_head"}},
          .shown_on = mha::fixture_call(),
          .verdict = Verdict::no_bug};
}
// [scaled-query]

}  // namespace

// [size and scale cases]
std::vector<Case> size_and_scale_cases() {
  return {truncated_head(), broadcast_batch(), sqrt_d_model(), no_scale(),
          one_over_d(),     scale_from_d_head(), scaled_query()};
}
// [size and scale cases]

}  // namespace gallery
