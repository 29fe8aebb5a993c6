// Wrong attentions beside those of chapter 5's gallery: smaller slips, and
// whatever can be wrong with a projection.
#include "variation.hpp"

#include "cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace diagnose {
namespace {

using mha::BoolMatrix;
using mha::Causal;

bool with_causal(const Traits& traits) { return traits.causal; }
bool without_causal(const Traits& traits) { return !traits.causal; }
bool with_pairs(const Traits& traits) { return traits.pairs; }
bool with_padding(const Traits& traits) { return traits.padding; }
bool with_bias(const Traits& traits) { return traits.bias; }
bool with_layer(const Traits& traits) { return traits.layer; }

// ---- layout

void put_every_other(Numbers& output, const Numbers& context, const Call& call,
                     Index b, Index h) {
  for (Index c = 0; c < context.cols(); ++c) {
    output.col(c * call.n_heads + h)
        .segment(b * context.rows(), context.rows()) = context.col(c);
  }
}

Index first_kv_head(Index /*h*/, const Call& /*call*/) { return 0; }

// ---- what is read as what

Call exchange_q_and_k(const Call& call) {
  if (call.q.rows() != call.k.rows() || call.q.cols() != call.k.cols()) {
    return call;
  }
  Call other = call;
  std::swap(other.q, other.k);
  return other;
}

Call exchange_k_and_v(const Call& call) {
  Call other = call;
  std::swap(other.k, other.v);
  return other;
}

Call keys_as_values(const Call& call) {
  Call other = call;
  other.v = call.k;
  return other;
}

// Every item reads the keys and values of item 0.
Call keys_of_item_0(const Call& call) {
  Call other = call;
  const Index t_k = keys_of(call);
  other.k = call.k.topRows(t_k).replicate(call.kv_batch, 1);
  other.v = call.v.topRows(t_k).replicate(call.kv_batch, 1);
  return other;
}

// ---- scale

double times_root(const Call& call) {
  return call.options.scale.value_or(
      std::sqrt(static_cast<double>(d_head_of(call))));
}

double by_root_of_keys(const Call& call) {
  return call.options.scale.value_or(
      1 / std::sqrt(static_cast<double>(keys_of(call))));
}

// exp2 in place of exp.
double in_base_2(const Call& call) {
  return gallery::scale_of(call) * std::log(2.0);
}

Numbers score_without_bias(const Numbers& q, const Numbers& k, double scale,
                           const Call& /*call*/) {
  return scale * q * k.transpose();
}

Numbers scale_the_bias(const Numbers& q, const Numbers& k, double scale,
                       const Call& call) {
  Numbers scores = q * k.transpose();
  if (mha::is_given(call.options.bias)) scores += call.options.bias;
  return scale * scores;
}

// ---- masks

BoolMatrix without(const Call& call, Index b, bool causal, bool pairs,
                   bool padding) {
  Call other = call;
  if (causal) other.options.causal = Causal::none;
  if (pairs) other.options.pairs = {};
  if (padding) other.padding.resize(0, 0);
  return gallery::visible_to(other, b);
}

BoolMatrix no_causal(const Call& call, Index b) {
  return without(call, b, true, false, false);
}

BoolMatrix no_pairs(const Call& call, Index b) {
  return without(call, b, false, true, false);
}

BoolMatrix no_padding(const Call& call, Index b) {
  return without(call, b, false, false, true);
}

BoolMatrix causal_unasked(const Call& call, Index b) {
  Call other = call;
  other.options.causal = Causal::bottom_right;
  return gallery::visible_to(other, b);
}

// Key j is seen by query i when keep(j - i - shift): 0 is the token itself.
template <typename Keep>
BoolMatrix visible_if(const Call& call, Index b, Keep keep) {
  BoolMatrix visible = no_causal(call, b);
  const Index shift = call.options.causal == Causal::bottom_right
                          ? visible.cols() - visible.rows()
                          : 0;
  for (Index i = 0; i < visible.rows(); ++i) {
    for (Index j = 0; j < visible.cols(); ++j) {
      visible(i, j) = visible(i, j) && keep(j - i - shift);
    }
  }
  return visible;
}

BoolMatrix not_itself(const Call& call, Index b) {
  return visible_if(call, b, [](Index ahead) { return ahead < 0; });
}

BoolMatrix one_ahead(const Call& call, Index b) {
  return visible_if(call, b, [](Index ahead) { return ahead <= 1; });
}

BoolMatrix only_later(const Call& call, Index b) {
  return visible_if(call, b, [](Index ahead) { return ahead >= 0; });
}

BoolMatrix only_itself_and_last(const Call& call, Index b) {
  return visible_if(call, b,
                    [](Index ahead) { return ahead == 0 || ahead == -1; });
}

BoolMatrix padding_inverted(const Call& call, Index b) {
  Call other = call;
  if (mha::is_given(call.padding)) other.padding = !call.padding;
  return gallery::visible_to(other, b);
}

BoolMatrix padding_of_item_0(const Call& call, Index /*b*/) {
  return gallery::visible_to(call, 0);
}

// ---- softmax

Numbers scores_as_weights(const Numbers& scores, const BoolMatrix& visible,
                          const Call& /*call*/, Index /*b*/) {
  return visible.select(scores, Numbers::Zero(scores.rows(), scores.cols()));
}

Numbers not_divided(const Numbers& scores, const BoolMatrix& visible,
                    const Call& /*call*/, Index /*b*/) {
  Numbers weights = Numbers::Zero(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    double highest = -std::numeric_limits<double>::infinity();
    for (Index j = 0; j < scores.cols(); ++j) {
      if (visible(i, j)) highest = std::max(highest, scores(i, j));
    }
    for (Index j = 0; j < scores.cols(); ++j) {
      if (visible(i, j)) weights(i, j) = std::exp(scores(i, j) - highest);
    }
  }
  return weights;
}

// A hidden key is left at a score of 0, and shares in the softmax.
Numbers hidden_scores_0(const Numbers& scores, const BoolMatrix& visible,
                        const Call& call, Index b) {
  const Numbers filled =
      visible.select(scores, Numbers::Zero(scores.rows(), scores.cols()));
  const BoolMatrix all =
      BoolMatrix::Constant(scores.rows(), scores.cols(), true);
  return gallery::weigh_keys(filled, all, call, b);
}

Numbers mix_transposed(const Numbers& weights, const Numbers& v) {
  if (weights.rows() != weights.cols()) return weights * v;
  return weights.transpose() * v;
}

// ---- projections

using Matrix = ReadWeights::Matrix;

Matrix keep(Numbers w) { return std::make_shared<Numbers>(std::move(w)); }

void transpose_if_square(Matrix& w) {
  if (w->rows() == w->cols()) w = keep(w->transpose());
}

ReadWeights inputs_transposed(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  transpose_if_square(other.w_q);
  transpose_if_square(other.w_k);
  transpose_if_square(other.w_v);
  return other;
}

ReadWeights output_transposed(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  transpose_if_square(other.w_o);
  return other;
}

ReadWeights all_transposed(const ReadWeights& weights, Index n_heads) {
  return output_transposed(inputs_transposed(weights, n_heads), n_heads);
}

ReadWeights no_w_o(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  const Index width = weights.w_o->rows();
  if (width == weights.w_o->cols()) {
    other.w_o = keep(Numbers::Identity(width, width));
  }
  other.b_o.resize(0);
  return other;
}

ReadWeights no_input_biases(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  other.b_q.resize(0);
  other.b_k.resize(0);
  other.b_v.resize(0);
  return other;
}

ReadWeights no_b_q(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  other.b_q.resize(0);
  return other;
}

ReadWeights no_b_v(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  other.b_v.resize(0);
  return other;
}

ReadWeights no_b_o(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  other.b_o.resize(0);
  return other;
}

ReadWeights b_o_per_head(const ReadWeights& weights, Index n_heads) {
  ReadWeights other = weights;
  other.b_o *= static_cast<double>(n_heads);
  return other;
}

ReadWeights order_k_q_v(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  if (weights.w_q->cols() != weights.w_k->cols()) return other;
  std::swap(other.w_q, other.w_k);
  std::swap(other.b_q, other.b_k);
  return other;
}

ReadWeights order_q_v_k(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  std::swap(other.w_k, other.w_v);
  std::swap(other.b_k, other.b_v);
  return other;
}

ReadWeights order_v_k_q(const ReadWeights& weights, Index /*n_heads*/) {
  ReadWeights other = weights;
  if (weights.w_q->cols() != weights.w_v->cols()) return other;
  std::swap(other.w_q, other.w_v);
  std::swap(other.b_q, other.b_v);
  return other;
}

// Columns of (q, k, v) side by side, read as (q, k, v) head after head.
template <typename M>
void deal_by_heads(M& q, M& k, M& v, Index n_heads) {
  if (q.cols() != k.cols() || q.cols() == 0 || k.cols() == 0) return;
  const Index width = q.cols(), d = width / n_heads;
  M packed(q.rows(), 3 * width);
  packed << q, k, v;
  for (Index h = 0; h < n_heads; ++h) {
    q.middleCols(h * d, d) = packed.middleCols(3 * h * d, d);
    k.middleCols(h * d, d) = packed.middleCols((3 * h + 1) * d, d);
    v.middleCols(h * d, d) = packed.middleCols((3 * h + 2) * d, d);
  }
}

ReadWeights thirds_by_heads(const ReadWeights& weights, Index n_heads) {
  ReadWeights other = weights;
  if (weights.w_q->rows() != weights.w_k->rows()) return other;
  Numbers w_q = *weights.w_q, w_k = *weights.w_k, w_v = *weights.w_v;
  deal_by_heads(w_q, w_k, w_v, n_heads);
  other.w_q = keep(std::move(w_q));
  other.w_k = keep(std::move(w_k));
  other.w_v = keep(std::move(w_v));
  deal_by_heads(other.b_q, other.b_k, other.b_v, n_heads);
  return other;
}

// Each head is given its slice of the input only.
Matrix own_block(const Matrix& w, Index n_heads) {
  if (w->rows() % n_heads != 0 || w->cols() % n_heads != 0) return w;
  Numbers block = Numbers::Zero(w->rows(), w->cols());
  const Index in = w->rows() / n_heads, out = w->cols() / n_heads;
  for (Index h = 0; h < n_heads; ++h) {
    block.block(h * in, h * out, in, out) = w->block(h * in, h * out, in, out);
  }
  return keep(std::move(block));
}

ReadWeights slices_projected(const ReadWeights& weights, Index n_heads) {
  ReadWeights other = weights;
  other.w_q = own_block(weights.w_q, n_heads);
  other.w_k = own_block(weights.w_k, n_heads);
  other.w_v = own_block(weights.w_v, n_heads);
  return other;
}

std::vector<Variation> core_variations() {
  const std::string a = "05a_wrong_splits", b = "05b_wrong_masks",
                    c = "05c_wrong_softmax";
  std::vector<Variation> list = {
      {"raw-split-right-merge", "the split is a view, the merge is right",
       "view(B, T, H, d).transpose(1, 2) instead of view(B, H, T, d)", a,
       {.take = gallery::case_named("raw-split").steps.take}},
      {"interleaved-both", "head h has every H-th column, and writes it back",
       "view(T, H, d), not view(T, d, H), on both ways", a,
       {.take = gallery::case_named("interleaved-heads").steps.take,
        .put = put_every_other}},
      {"interleaved-merge", "the merge deals out columns in turn",
       "transpose so that d_head is the last axis before the merge", a,
       {.put = put_every_other}},
      {"kv-first-head", "every query head reads key/value head 0",
       "kv = h / (H / G)", a, {.kv_head = first_kv_head}, {}, nullptr, false,
       false, false, [](const Traits& traits) { return traits.shared; }},
      {"scale-times-root", "multiplied by sqrt(d_head), where divided is meant",
       "divide by sqrt(d_head)", b, {.scale = times_root}},
      {"scale-by-tokens", "divided by the root of the number of keys",
       "divide by sqrt(d_head)", b, {.scale = by_root_of_keys}},
      {"base-2", "2^s for e^s: exp2 without log2(e) in the scale",
       "multiply the scale by log2(e), or use exp", c, {.scale = in_base_2}},
      {"transposed-weights", "the weights were multiplied from the other side",
       "weights @ v, not weights.T @ v", c, {.mix = mix_transposed}, {},
       nullptr, false, /*across=*/true},
      {"no-softmax", "the scores were used as weights", "softmax the scores",
       c, {.weigh = scores_as_weights}},
      {"not-divided", "exp, and no division by the sum",
       "divide by the row's sum", c, {.weigh = not_divided}}};
  const auto add = [&](Variation variation, bool (*matters)(const Traits&)) {
    variation.matters = matters;
    list.push_back(std::move(variation));
  };
  add({"hidden-scores-0", "a hidden score was set to 0, not to minus infinity",
       "fill with minus infinity", b, {.weigh = hidden_scores_0}},
      [](const Traits& traits) { return traits.any_mask(); });
  add({"causal-forgotten", "later keys were seen", "mask the later keys", b,
       {.visible = no_causal}}, with_causal);
  add({"causal-unasked", "later keys were hidden, and nobody asked for it",
       "is_causal=False; or say --causal if it is meant", b,
       {.visible = causal_unasked}}, without_causal);
  add({"causal-not-itself", "a token does not see itself: j < i",
       "tril with diagonal 0, not -1", b, {.visible = not_itself}},
      with_causal);
  add({"causal-one-ahead", "a token sees the next one: j <= i + 1",
       "tril with diagonal 0, not 1", b, {.visible = one_ahead}}, with_causal);
  add({"causal-reversed", "only later keys were seen: j >= i",
       "tril, not triu", b, {.visible = only_later}}, with_causal);
  add({"window-of-two", "a token sees itself and the one before",
       "check the window's length", b, {.visible = only_itself_and_last}},
      with_causal);
  add({"pairs-forgotten", "the mask was not used", "hand the mask on", b,
       {.visible = no_pairs}}, with_pairs);
  add({"padding-forgotten", "padded keys were seen", "hand the padding on", b,
       {.visible = no_padding}}, with_padding);
  add({"padding-inverted", "only padded keys were seen", "turn it round", b,
       {.visible = padding_inverted}}, with_padding);
  add({"padding-of-item-0", "every item got the padding of item 0",
       "padding[b], not padding[0]", b, {.visible = padding_of_item_0}},
      [](const Traits& traits) { return traits.padding && traits.batched; });
  add({"bias-forgotten", "the mask of numbers was not added",
       "add it to the scores", b, {.score = score_without_bias}}, with_bias);
  add({"bias-scaled", "the mask of numbers was added before the scaling",
       "scale first, then add", b, {.score = scale_the_bias}}, with_bias);
  return list;
}

void add_rewrites(std::vector<Variation>& list) {
  const std::string a = "05a_wrong_splits";
  const auto add = [&](const std::string& name, const std::string& what,
                       const std::string& mend, Call (*before)(const Call&),
                       bool (*matters)(const Traits&) = nullptr) {
    Variation variation = {name, what, mend, a};
    variation.matters = matters;
    variation.rewrite.before = before;
    list.push_back(std::move(variation));
  };
  add("q-and-k-exchanged", "queries were used as keys, and keys as queries",
      "q @ k.T, in this order", exchange_q_and_k);
  add("k-and-v-exchanged", "keys were used as values, and values as keys",
      "unpack as q, k, v", exchange_k_and_v);
  add("keys-as-values", "keys were used as values as well", "weights @ v",
      keys_as_values);
  add("keys-of-item-0", "every item read the keys and values of item 0",
      "index the batch of keys and values", keys_of_item_0,
      [](const Traits& traits) { return traits.batched; });
}

void add_projections(std::vector<Variation>& list) {
  const std::string a = "05a_wrong_splits";
  const auto add = [&](const std::string& name, const std::string& what,
                       const std::string& mend, const std::string& page,
                       Reread reread, bool by_heads = false) {
    Variation variation = {name, what, mend, page};
    variation.reread = reread;
    variation.by_heads = by_heads;
    variation.matters = with_layer;
    list.push_back(std::move(variation));
  };
  const std::string sum = "03_concat_as_sum", layer = "02_head_split";
  add("w-in-transposed", "w_q, w_k and w_v were used transposed",
      "x @ w.T for weights stored as (out, in)", layer, inputs_transposed);
  add("w-o-transposed", "w_o was used transposed",
      "heads @ w_o.T for weights stored as (out, in)", layer,
      output_transposed);
  add("w-all-transposed", "all four matrices were used transposed",
      "x @ w.T for weights stored as (out, in)", layer, all_transposed);
  add("w-o-forgotten", "the heads were glued, and not projected",
      "project the glued heads with w_o", sum, no_w_o);
  add("biases-forgotten", "b_q, b_k and b_v were not added", "add them", layer,
      no_input_biases);
  add("b-q-forgotten", "b_q was not added", "add it", layer, no_b_q);
  add("b-v-forgotten", "b_v was not added", "add it", layer, no_b_v);
  add("b-o-forgotten", "b_o was not added", "add it", sum, no_b_o);
  add("b-o-per-head", "b_o was added once a head", "add it once", sum,
      b_o_per_head, true);
  add("order-k-q-v", "the packed weights were unpacked as k, q, v",
      "unpack as q, k, v", a, order_k_q_v);
  add("order-q-v-k", "the packed weights were unpacked as q, v, k",
      "unpack as q, k, v", a, order_q_v_k);
  add("order-v-k-q", "the packed weights were unpacked as v, k, q",
      "unpack as q, k, v", a, order_v_k_q);
  add("packed-by-heads", "weights packed as q, k, v were read head after head",
      "take thirds: w_q, w_k, w_v = packed.chunk(3)", a, thirds_by_heads, true);
  add("slice-then-project", "each head was given its slice of the input only",
      "project all of x, then split", layer, slices_projected, true);
  Variation residual = {"input-added", "the layer's input is in its output",
                        "save the output before the residual sum", sum};
  residual.adds_input = true;
  residual.matters = with_layer;
  list.push_back(std::move(residual));
}

}  // namespace

std::vector<Variation> more_variations() {
  std::vector<Variation> list = core_variations();
  add_rewrites(list);
  add_projections(list);
  return list;
}

}  // namespace diagnose
