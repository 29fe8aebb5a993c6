// Chapter 5: the right attention, in steps that a wrong one may exchange.
#pragma once

#include "mha/attention.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace gallery {

// [call]
using mha::Index;
using Numbers = mha::Matrix<double>;

// Queries, keys and values as a projection leaves them: one row a token, the
// items of the batch below each other, the heads side by side.
struct Call {
  Numbers q = {};                      // (batch T_q, n_heads d_head)
  Numbers k = {};                      // (kv_batch T_k, n_kv_heads d_head)
  Numbers v = {};                      // (kv_batch T_k, n_kv_heads d_head)
  Index batch = 1;                     // items, as q counts them
  Index kv_batch = 1;                  // items, as k and v count them
  Index n_heads = 1;
  Index n_kv_heads = 1;
  mha::AttentionOptions options = {};  // causal, pairs, bias, scale
  mha::BoolMatrix padding = {};        // (kv_batch, T_k): true is a real token
  bool need_weights = true;
  double dropout = 0;                  // the share of weights to drop
  bool training = false;
  std::uint32_t seed = 0;              // of the dropout, another every call
};
// [call]

// [answer]
struct Answer {
  Numbers output;                // (batch T_q, n_heads d_head)
  std::vector<Numbers> weights;  // map of item b and head h: b n_heads + h
};

using Attention = std::function<Answer(const Call&)>;
// [answer]

// [rows]
// The rows of one matrix, read as items, tokens and heads.
struct Rows {
  const Numbers& matrix;
  Index batch;
  Index heads;
  Index tokens() const { return matrix.rows() / batch; }
  Index d_head() const { return matrix.cols() / heads; }
};

inline Index tokens_of(const Call& call) { return call.q.rows() / call.batch; }
inline Index keys_of(const Call& call) { return call.k.rows() / call.kv_batch; }
inline Index d_head_of(const Call& call) {
  return call.q.cols() / call.n_heads;
}

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
Attention with(const Steps& steps);
// [steps]

}  // namespace gallery
