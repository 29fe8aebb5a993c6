#include "attention_steps.hpp"

#include "mha/generator.hpp"

#include <algorithm>
#include <cmath>

namespace gallery {

// [refuse bad heads]
using mha::require;

void refuse_bad_heads(const Call& call) {
  require(call.n_heads > 0 && call.q.cols() % call.n_heads == 0,
          "n_heads = {} does not divide the width {} of the queries",
          call.n_heads, call.q.cols());
  require(call.n_kv_heads > 0 && call.n_heads % call.n_kv_heads == 0,
          "n_kv_heads = {} does not divide n_heads = {}; choose a divisor",
          call.n_kv_heads, call.n_heads);
  require(call.k.cols() == call.n_kv_heads * d_head_of(call),
          "keys are {} wide, but {} heads of {} need {}", call.k.cols(),
          call.n_kv_heads, d_head_of(call),
          call.n_kv_heads * d_head_of(call));
  require(call.v.rows() == call.k.rows() && call.v.cols() == call.k.cols(),
          "keys are {} x {}, but values are {} x {}", call.k.rows(),
          call.k.cols(), call.v.rows(), call.v.cols());
}
// [refuse bad heads]

// [refuse bad batches]
void refuse_bad_batches(const Call& call) {
  require(call.batch == call.kv_batch,
          "queries are a batch of {}, but keys and values one of {}",
          call.batch, call.kv_batch);
  require(call.batch > 0 && call.q.rows() % call.batch == 0 &&
              call.k.rows() % call.batch == 0,
          "{} rows of queries and {} of keys do not make a batch of {}",
          call.q.rows(), call.k.rows(), call.batch);
}

void refuse_bad_shapes(const Call& call) {
  refuse_bad_heads(call);
  refuse_bad_batches(call);
}
// [refuse bad batches]

// [take and put]
// Head h of item b, (tokens, d_head): a block of the rows.
Numbers take_head(const Rows& rows, Index b, Index h) {
  return rows.matrix.block(b * rows.tokens(), h * rows.d_head(),
                           rows.tokens(), rows.d_head());
}

// The way back, for what head h of item b found.
void put_head(Numbers& output, const Numbers& context, const Call& call,
              Index b, Index h) {
  output.block(b * tokens_of(call), h * context.cols(), context.rows(),
               context.cols()) = context;
}
// [take and put]

// [small steps]
// Neighbouring query heads share one key/value head.
Index kv_head_of(Index h, const Call& call) {
  return h / (call.n_heads / call.n_kv_heads);
}

double scale_of(const Call& call) {
  return call.options.scale.value_or(
      1 / std::sqrt(static_cast<double>(d_head_of(call))));
}

Numbers score_pairs(const Numbers& q, const Numbers& k, double scale,
              const Call& call) {
  Numbers scores = scale * q * k.transpose();
  if (mha::is_given(call.options.bias)) scores += call.options.bias;
  return scores;
}
// [small steps]

// [masks and softmax]
mha::BoolMatrix visible_to(const Call& call, Index b) {
  mha::AttentionOptions options = call.options;
  if (mha::is_given(call.padding)) {
    options.keys =
        mha::AttendMask::where_true_attends(call.padding.row(b));
  }
  return mha::visible_keys(options, tokens_of(call), keys_of(call));
}

Numbers weigh_keys(const Numbers& scores, const mha::BoolMatrix& visible,
              const Call& /*call*/, Index /*b*/) {
  return mha::masked_softmax(scores, visible);
}
// [masks and softmax]

// [dropout]
// In training, a share of the weights is dropped and the rest grows.
Numbers drop_weights(const Numbers& weights, const Call& call, Index map) {
  if (!call.training || call.dropout == 0) return weights;
  mha::TorchGenerator generator(call.seed * 1000 +
                                static_cast<std::uint32_t>(map));
  const auto draws = generator.uniform(weights.rows(), weights.cols(), 0, 1);
  return (draws.cast<double>().array() < call.dropout)
      .select(Numbers::Zero(weights.rows(), weights.cols()),
              weights / (1 - call.dropout));
}

// The weights to return are those from before the dropout.
Numbers keep_undropped(const Numbers& weights, const Numbers& /*dropped*/) {
  return weights;
}

// A key of weight 0 is not touched: its value may be NaN.
Numbers mix_values(const Numbers& weights, const Numbers& v) {
  return mha::weighted_sum<double>(weights, weights.array() != 0, v);
}

void leave(Answer& /*answer*/, const Call& /*call*/) {}
// [dropout]

// [attend]
Answer attend(const Call& call, const Steps& steps) {
  steps.check(call);
  // Equal, unless the check at the door has been taken away.
  const Index items = std::max(call.batch, call.kv_batch);
  Answer answer;
  answer.output = Numbers::Zero(items * tokens_of(call), call.q.cols());
  const Rows queries{call.q, call.batch, call.n_heads};
  const Rows keys{call.k, call.kv_batch, call.n_kv_heads};
  const Rows values{call.v, call.kv_batch, call.n_kv_heads};
  for (Index b = 0; b < items; ++b) {
    const mha::BoolMatrix visible = steps.visible(call, b % call.kv_batch);
    for (Index h = 0; h < call.n_heads; ++h) {
      // [attend]
      // [attend one head]
      const Index kv = steps.kv_head(h, call);
      const Numbers q = steps.take(queries, b % call.batch, h);
      const Numbers k = steps.take(keys, b % call.kv_batch, kv);
      const Numbers v = steps.take(values, b % call.kv_batch, kv);
      const Numbers scores = steps.score(q, k, steps.scale(call), call);
      const Numbers weights =
          steps.weigh(scores, visible, call, b % call.kv_batch);
      const Numbers used = steps.drop(weights, call, b * call.n_heads + h);
      steps.put(answer.output, steps.mix(used, v), call, b, h);
      answer.weights.push_back(steps.keep(weights, used));
    }
  }
  steps.finish(answer, call);
  return answer;
}
// [attend one head]

// [with]
Attention with(const Steps& steps, const Rewrite& rewrite) {
  return [=](const Call& call) {
    if (!rewrite.before) return attend(call, steps);
    Answer answer = attend(rewrite.before(call), steps);
    if (rewrite.after) answer.output = rewrite.after(answer.output, call);
    return answer;
  };
}
// [with]

}  // namespace gallery
