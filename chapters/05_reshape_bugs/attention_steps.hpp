// Chapter 5: the right attention, in steps that a wrong one may exchange.
#pragma once

#include "mha/attention_call.hpp"

namespace gallery {

// [names]
using mha::Index;
using Numbers = mha::Matrix<double>;
using Call = mha::AttentionCall;
using Answer = mha::AttentionAnswer;
using Attention = mha::AttentionFunction;
// [names]

// [rows]
// The rows of one matrix, read as items, tokens and heads.
struct Rows {
  const Numbers& matrix;
  Index batch;
  Index heads;
  Index tokens() const { return matrix.rows() / batch; }
  Index d_head() const { return matrix.cols() / heads; }
};

// Rounded to a number of 16 bits.
inline double to_half(double x) {
  return static_cast<double>(static_cast<Eigen::half>(static_cast<float>(x)));
}
// [rows]

// [right steps]
void refuse_bad_heads(const Call& call);
void refuse_bad_batches(const Call& call);
void refuse_bad_shapes(const Call& call);  // both
Numbers take_head(const Rows& rows, Index b, Index h);
Index kv_head_of(Index h, const Call& call);
double scale_of(const Call& call);
Numbers score_pairs(const Numbers& q, const Numbers& k, double scale,
              const Call& call);
mha::BoolMatrix visible_to(const Call& call, Index b);
Numbers weigh_keys(const Numbers& scores, const mha::BoolMatrix& visible,
              const Call& call, Index b);
Numbers drop_weights(const Numbers& weights, const Call& call, Index map);
Numbers mix_values(const Numbers& weights, const Numbers& v);
Numbers keep_undropped(const Numbers& weights, const Numbers& dropped);
void put_head(Numbers& output, const Numbers& context, const Call& call,
              Index b, Index h);
void leave(Answer& answer, const Call& call);
// [right steps]

// [steps]
// The steps of attention, each the right one unless it is exchanged.
struct Steps {
  decltype(&refuse_bad_shapes) check = refuse_bad_shapes;
  decltype(&take_head) take = take_head;          // one head's rows
  decltype(&kv_head_of) kv_head = kv_head_of;     // whose keys it reads
  decltype(&scale_of) scale = scale_of;
  decltype(&score_pairs) score = score_pairs;      // with the bias
  decltype(&visible_to) visible = visible_to;     // every mask in one
  decltype(&weigh_keys) weigh = weigh_keys;       // the softmax
  decltype(&drop_weights) drop = drop_weights;       // the dropout
  decltype(&mix_values) mix = mix_values;           // weights times values
  decltype(&keep_undropped) keep = keep_undropped;  // what to return
  decltype(&put_head) put = put_head;             // back to rows of tokens
  decltype(&leave) finish = leave;
};

Answer attend(const Call& call, const Steps& steps = {});
// [steps]

// [rewrite]
// A wrong layer may misread the whole call. `before` is what it makes of it,
// `after` brings its output back to the rows that were asked for.
struct Rewrite {
  Call (*before)(const Call&) = nullptr;
  Numbers (*after)(const Numbers& output, const Call& call) = nullptr;
};

Attention with(const Steps& steps, const Rewrite& rewrite = {});
// [rewrite]

}  // namespace gallery
