#include "cases.hpp"

#include "mha/battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gallery {

// [names in masks]
using mha::AttendMask;
using mha::BoolMatrix;
using mha::Causal;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
// [names in masks]

// [inverted-mask]
BoolMatrix visible_inverted(const Call& call, Index b) {
  Call inverted = call;
  const BoolMatrix& pairs = call.options.pairs.attends();
  if (mha::is_given(pairs)) {
    inverted.options.pairs = AttendMask::where_true_is_masked(pairs);
  }
  return visible_to(inverted, b);
}

Case inverted_mask() {
  Call lower = mha::fixture_call();  // causal, as a table
  BoolMatrix attends(3, 3);
  attends << true, false, false, true, true, false, true, true, true;
  lower.options.pairs = AttendMask::where_true_attends(attends);
  return {.name = "inverted-mask",
          .symptom = "each token sees what it should not, and nothing else",
          .mend = "turn the mask round: ~mask",
          .steps = {.visible = visible_inverted},
          .reports = {{"D1", "a hidden key gets a weight of exactly 0"}},
          .shown_on = lower};
}
// [inverted-mask]

// [top-left-corner]
BoolMatrix visible_top_left(const Call& call, Index b) {
  Call other = call;
  if (call.options.causal != Causal::none) {
    other.options.causal = Causal::top_left;
  }
  return visible_to(other, b);
}

Case top_left_corner() {
  const std::string check = "one query behind a cache sees every key";
  Call decoding = mha::random_call(41, {.t_k = 4, .d_head = 4});
  decoding.options.causal = Causal::bottom_right;
  return {.name = "top-left-corner",
          .symptom = "trains well; a decoded token sees only the first",
          .mend = "tril with diagonal T_k - T_q, not 0",
          .steps = {.visible = visible_top_left},
          .reports = {{"D2", check}, {"D3", check}},
          .shown_on = decoding};
}
// [top-left-corner]

// [corner-sign]
// Key j is visible up to i + (T_q - T_k): the difference the wrong way round.
BoolMatrix visible_wrong_sign(const Call& call, Index b) {
  if (call.options.causal != Causal::bottom_right) return visible_to(call, b);
  Call open = call;
  open.options.causal = Causal::none;
  BoolMatrix visible = visible_to(open, b);
  for (Index i = 0; i < visible.rows(); ++i) {
    for (Index j = 0; j < visible.cols(); ++j) {
      if (j > i + visible.rows() - visible.cols()) visible(i, j) = false;
    }
  }
  return visible;
}

Case corner_sign() {
  Call longer = mha::random_call(42, {.t_q = 4, .t_k = 2, .d_head = 4});
  longer.options.causal = Causal::bottom_right;
  return {.name = "corner-sign",
          .symptom = "right for equal lengths; all visible, or nothing, else",
          .mend = "T_k - T_q, not T_q - T_k",
          .steps = {.visible = visible_wrong_sign},
          .reports = {{"D5", "queries before the first key get zeros"}},
          .shown_on = longer};
}
// [corner-sign]

// [behind a cache]
// Two new tokens, three keys more than queries.
Call behind_a_cache() {
  Call call = mha::random_call(44, {.t_q = 2, .t_k = 5, .d_head = 4});
  call.options.causal = Causal::bottom_right;
  return call;
}
// [behind a cache]

// [mask-lost-with-cache]
BoolMatrix visible_without_cache(const Call& call, Index b) {
  Call other = call;
  if (keys_of(call) > tokens_of(call)) other.options.causal = Causal::none;
  return visible_to(other, b);
}

Case mask_lost_with_cache() {
  return {.name = "mask-lost-with-cache",
          .symptom = "right for whole texts, and for one new token at a time",
          .mend = "mask whenever there is more than one new token",
          .steps = {.visible = visible_without_cache},
          .shown_on = behind_a_cache()};
}
// [mask-lost-with-cache]

// [newest-row-for-all]
BoolMatrix visible_to_the_newest(const Call& call, Index b) {
  BoolMatrix visible = visible_to(call, b);
  if (visible.cols() > visible.rows()) {
    visible.rowwise() = visible.row(visible.rows() - 1).eval();
  }
  return visible;
}

Case newest_row_for_all() {
  return {.name = "newest-row-for-all",
          .symptom = "a prompt read in pieces is read otherwise than at once",
          .mend = "one row of the mask a query, not one for all",
          .steps = {.visible = visible_to_the_newest},
          .shown_on = behind_a_cache()};
}
// [newest-row-for-all]

// [plain softmax]
// The softmax with the largest score taken off, as most programs have it. An
// infinite score counts as the largest number, which keeps NaN out of a row
// that has nothing wrong with it.
Numbers plain_softmax(Numbers scores) {
  for (Index i = 0; i < scores.rows(); ++i) {
    const double highest = scores.row(i).maxCoeff<Eigen::PropagateNaN>();
    for (double& s : scores.row(i)) s = s == inf ? 1 : std::exp(s - highest);
    scores.row(i) /= scores.row(i).sum();
  }
  return scores;
}

Numbers fill(Numbers scores, const BoolMatrix& visible, double filler) {
  return visible.select(
      scores, Numbers::Constant(scores.rows(), scores.cols(), filler));
}
// [plain softmax]

// [empty-row-nan]
// Minus infinity less minus infinity is NaN.
Numbers weigh_filled(const Numbers& scores, const BoolMatrix& visible,
                     const Call& /*call*/, Index /*b*/) {
  return plain_softmax(fill(scores, visible, -inf));
}

Case empty_row_nan() {
  Call longer = mha::random_call(43, {.t_q = 4, .t_k = 2, .d_head = 4});
  longer.options.causal = Causal::bottom_right;
  return {.name = "empty-row-nan",
          .symptom = "NaN, from one layer on, in everything",
          .mend = "give zeros to a row that sees nothing",
          .steps = {.weigh = weigh_filled},
          .reports = {{"D4", "queries before the first key get zeros"},
                      {"D6", "a query with every key hidden gets zeros and "
                             "disturbs no other"}},
          .shown_on = longer};
}
// [empty-row-nan]

// [float-mask-as-bool]
// Takes every number other than 0 in an added mask for "hidden".
BoolMatrix visible_where_zero(const Call& call, Index b) {
  BoolMatrix visible = visible_to(call, b);
  if (mha::is_given(call.options.bias)) {
    visible = visible && (call.options.bias.array() == 0);
  }
  return visible;
}

Case float_mask_as_bool() {
  Call biased = mha::fixture_call();
  biased.options.bias = Numbers(3, 3);
  biased.options.bias << 0, -1, -2, -1, 0, -1, -2, -1, 0;  // prefers the near
  return {.name = "float-mask-as-bool",
          .symptom = "each token sees itself only",
          .mend = "add a mask of numbers; do not turn it into bools",
          .steps = {.visible = visible_where_zero},
          .reports = {{"D10", "an added mask adds, and minus infinity hides"}},
          .shown_on = biased};
}
// [float-mask-as-bool]

// [causal fixture]
Call causal_fixture() {
  Call call = mha::fixture_call();
  call.options.causal = Causal::bottom_right;
  return call;
}
// [causal fixture]

// [mask-after-softmax]
Numbers weigh_then_hide(const Numbers& scores, const BoolMatrix& visible,
                        const Call& /*call*/, Index /*b*/) {
  return fill(plain_softmax(scores), visible, 0);
}

Case mask_after_softmax() {
  return {.name = "mask-after-softmax",
          .symptom = "early tokens come out too small",
          .mend = "mask the scores, with minus infinity, before the "
                  "softmax",
          .steps = {.weigh = weigh_then_hide},
          .reports = {{"D13", "every row of weights sums to 1"}},
          .shown_on = causal_fixture()};
}
// [mask-after-softmax]

// [hide-and-renormalise]
Numbers weigh_hide_divide(const Numbers& scores, const BoolMatrix& visible,
                          const Call& call, Index b) {
  Numbers weights = weigh_then_hide(scores, visible, call, b);
  for (Index i = 0; i < weights.rows(); ++i) {
    const double left = weights.row(i).sum();
    if (left > 0) weights.row(i) /= left;
  }
  return weights;
}

Case hide_and_renormalise() {
  return {.name = "hide-and-renormalise",
          .symptom = "masks after the softmax, and looks wrong for it",
          .steps = {.weigh = weigh_hide_divide},
          .reports = {{"D14", "every row of weights sums to 1"}},
          .shown_on = causal_fixture(),
          .verdict = Verdict::no_bug};
}
// [hide-and-renormalise]

// [tiny-fill]
// -1e-9 for -1e9: the sign of the exponent slipped.
Numbers weigh_tiny_fill(const Numbers& scores, const BoolMatrix& visible,
                        const Call& /*call*/, Index /*b*/) {
  return plain_softmax(fill(scores, visible, -1e-9));
}

Case tiny_fill() {
  return {.name = "tiny-fill",
          .symptom = "the mask hides nothing",
          .mend = "fill with minus infinity (-1e-9 is nearly 0)",
          .steps = {.weigh = weigh_tiny_fill},
          .reports = {{"D16", "a hidden key gets a weight of exactly 0"}},
          .shown_on = causal_fixture()};
}
// [tiny-fill]

// [half-fill]
// A fill of -1e9 is stored in 16 bits, whose least finite number is -65,504.
Numbers weigh_half_fill(const Numbers& scores, const BoolMatrix& visible,
                        const Call& /*call*/, Index /*b*/) {
  return plain_softmax(fill(scores, visible, to_half(-1e9)));
}

Case half_fill() {
  Call hidden = mha::fixture_call();
  hidden.padding = BoolMatrix::Constant(1, 3, false);
  return {.name = "half-fill",
          .symptom = "right in 32 bits; NaN, or an error, in 16",
          .mend = "fill with minus infinity, which 16 bits have",
          .steps = {.weigh = weigh_half_fill},
          .reports = {{"D18", "a query with every key hidden gets zeros and "
                              "disturbs no other"}},
          .shown_on = hidden};
}
// [half-fill]

// [added-minima]
// Each mask adds the least finite 16-bit number; two of them are infinite.
Numbers weigh_added_minima(const Numbers& scores, const BoolMatrix& /*all*/,
                           const Call& call, Index b) {
  Call causal_only = call;
  causal_only.padding.resize(0, 0);
  const BoolMatrix causal = visible_to(causal_only, b);
  Numbers sum = scores;
  for (Index i = 0; i < sum.rows(); ++i) {
    for (Index j = 0; j < sum.cols(); ++j) {
      if (!causal(i, j)) sum(i, j) = to_half(sum(i, j) - 65504);
      if (mha::is_given(call.padding) && !call.padding(b, j)) {
        sum(i, j) = to_half(sum(i, j) - 65504);
      }
    }
  }
  return plain_softmax(sum);
}

Case added_minima() {
  Call padded = causal_fixture();
  padded.padding = BoolMatrix(1, 3);
  padded.padding << false, true, true;
  return {.name = "added-minima",
          .symptom = "padding on the left leaks into the first row, or NaN",
          .mend = "join the masks as bools, and fill once",
          .steps = {.weigh = weigh_added_minima},
          .reports = {{"D19", "a query with every key hidden gets zeros and "
                              "disturbs no other"}},
          .shown_on = padded};
}
// [added-minima]

// [ones-added]
// Adds tril(ones), which is 1 where a key may be seen, to the scores.
Numbers weigh_ones_added(const Numbers& scores, const BoolMatrix& visible,
                         const Call& /*call*/, Index /*b*/) {
  return plain_softmax(scores + visible.cast<double>().matrix());
}

Case ones_added() {
  return {.name = "ones-added",
          .symptom = "the mask hides nothing; the loss is too good",
          .mend = "add 0 and minus infinity, not 1 and 0",
          .steps = {.weigh = weigh_ones_added},
          .reports = {{"D20", "a hidden key gets a weight of exactly 0"}},
          .shown_on = causal_fixture()};
}
// [ones-added]

// [causal-lost]
// The path that returns weights never got the causal flag.
BoolMatrix visible_unless_weights(const Call& call, Index b) {
  Call other = call;
  if (call.need_weights) other.options.causal = Causal::none;
  return visible_to(other, b);
}

Case causal_lost() {
  return {.name = "causal-lost",
          .symptom = "wrong only while somebody looks at the weights",
          .mend = "hand the causal flag on when the weights are asked "
                  "for",
          .steps = {.visible = visible_unless_weights},
          .reports = {{"D21", "asking for the weights changes no output"}},
          .shown_on = causal_fixture()};
}
// [causal-lost]

// [padding-by-query]
// Blanks the rows of padded tokens, where their columns were meant.
BoolMatrix visible_rows(const Call& call, Index b) {
  Call open = call;
  open.padding.resize(0, 0);
  BoolMatrix visible = visible_to(open, b);
  if (mha::is_given(call.padding) && visible.rows() == visible.cols()) {
    for (Index i = 0; i < visible.rows(); ++i) {
      if (!call.padding(b, i)) visible.row(i).setConstant(false);
    }
  }
  return visible;
}

Case padding_by_query() {
  Call padded = mha::fixture_call();
  padded.padding = BoolMatrix(1, 3);
  padded.padding << true, true, false;
  return {.name = "padding-by-query",
          .symptom = "the answer changes with the length of the padding",
          .mend = "let the padding hide columns of the scores, not rows",
          .steps = {.visible = visible_rows},
          .reports = {{"D23", "padding hides what the same mask, written "
                              "out, hides"}},
          .shown_on = padded};
}
// [padding-by-query]

// [zero-times-nan]
Numbers mix_by_product(const Numbers& weights, const Numbers& v) {
  return weights * v;
}

Case zero_times_nan() {
  Call padded = mha::fixture_call();
  padded.padding = BoolMatrix(1, 3);
  padded.padding << true, true, false;
  padded.v.row(2).setConstant(std::nan(""));
  return {.name = "zero-times-nan",
          .symptom = "rubbish in the padding comes out everywhere",
          .mend = "leave out keys of weight 0",
          .steps = {.mix = mix_by_product},
          .shown_on = padded};
}
// [zero-times-nan]

}  // namespace

// [mask cases]
std::vector<Case> mask_cases() {
  return {inverted_mask(),      top_left_corner(),      corner_sign(),
          mask_lost_with_cache(), newest_row_for_all(),
          empty_row_nan(),      float_mask_as_bool(),   mask_after_softmax(),
          hide_and_renormalise(), tiny_fill(),          half_fill(),
          added_minima(),       ones_added(),           causal_lost(),
          padding_by_query(),   zero_times_nan()};
}
// [mask cases]

}  // namespace gallery
