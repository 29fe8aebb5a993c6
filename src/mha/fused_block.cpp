#include "mha/fused_block.hpp"

#include "mha/vector_lanes.hpp"

namespace mha {
namespace {

// [sizes of a block]
// A micro-kernel keeps `rows` x `vectors` sums in registers; there are 32
// registers of 16 lanes, else 16 (of which two or three hold the factors).
constexpr int vectors = lanes == 8 ? 3 : 2;
constexpr int rows = lanes == 16 ? 8 : 4;
constexpr Size queries = vectors * lanes;  // in a block: a lane is a query
constexpr Size tile = 64;                  // keys that are scored at a time

struct Block {
  const FusedCall& call;
  Size item, head, first;  // first: its first query
  const float *k, *v;      // of this item and this head's key/value head
  Vector *q, *out;         // (d_head, queries): columns of a head are rows
  Vector* scores;          // (tile, queries), then the weights
  Vector highest[vectors];  // of the scores so far, a lane a query
  Vector total[vectors];    // of the weights so far
};
// [sizes of a block]

// [micro-kernel]
// sums[r][query] += the sum over n of lanes_of[n][query] * other[r][n].
template <int count>
inline void add_products(const Vector* lanes_of, const float* other, Size r_at,
                         Size n_at, Size n_end, Vector (&sums)[count][vectors]) {
  for (Size n = 0; n < n_end; ++n) {
    unrolled<count, vectors>([&](int r, int w) {
      sums[r][w] += lanes_of[n * vectors + w] *
                    broadcast(other[r * r_at + n * n_at]);
    });
  }
}
// [micro-kernel]

// [score rows]
// Scores of `count` keys against the block's queries. Not inlined: within a
// larger function g++ has too few registers left for the sums.
template <int count>
[[gnu::noinline]] void score_rows(const Vector* q, const float* k, Size k_token,
                                  Size d_head, Vector* scores) {
  Vector sums[count][vectors];
  unrolled<count, vectors>([&](int r, int w) { sums[r][w] = Vector{}; });
  add_products<count>(q, k, k_token, 1, d_head, sums);
  unrolled<count, vectors>(
      [&](int r, int w) { scores[r * vectors + w] = sums[r][w]; });
}
// [score rows]

// [value columns]
// Adds the weighted values of a tile to `count` columns of the output, after
// these have been brought to the new maximum.
template <int count>
[[gnu::noinline]] void add_columns(const Vector* weights, const float* v,
                                   Size v_token, Size keys,
                                   const Vector* rescale, Vector* out) {
  Vector sums[count][vectors];
  unrolled<count, vectors>([&](int r, int w) {
    sums[r][w] = out[r * vectors + w] * rescale[w];
  });
  add_products<count>(weights, v, 1, v_token, keys, sums);
  unrolled<count, vectors>(
      [&](int r, int w) { out[r * vectors + w] = sums[r][w]; });
}
// [value columns]

// [fetch]
// Asks memory for rows `from` to `end` before they are needed.
inline void fetch(const float* base, Size token, Size from, Size end,
                  Size d_head) {
  for (Size j = from; j < end; ++j) {
    fetch_row(base + j * token, d_head);
  }
}
// [fetch]

// [score a tile]
// Meanwhile memory brings the tile's values.
void score_tile(Block& b, Size key, Size keys) {
  const FusedCall& call = b.call;
  const Size token = call.k_at.token, d_head = call.d_head;
  const float* k = b.k + key * token;
  const float* v = b.v + key * call.v_at.token;
  Size r = 0;
  for (; r + rows <= keys; r += rows) {
    fetch(v, call.v_at.token, r, r + rows, d_head);
    score_rows<rows>(b.q, k + r * token, token, d_head,
                     b.scores + r * vectors);
  }
  for (; r < keys; ++r) {
    score_rows<1>(b.q, k + r * token, token, d_head, b.scores + r * vectors);
  }
}
// [score a tile]

// [add values]
void add_values(Block& b, Size key, Size keys, const Vector* rescale) {
  const Size token = b.call.v_at.token, d_head = b.call.d_head;
  const float* v = b.v + key * token;
  Size c = 0;
  for (; c + rows <= d_head; c += rows) {
    add_columns<rows>(b.scores, v + c, token, keys, rescale,
                      b.out + c * vectors);
  }
  for (; c < d_head; ++c) {
    add_columns<1>(b.scores, v + c, token, keys, rescale, b.out + c * vectors);
  }
}
// [add values]

// [add values carefully]
// As add_values, where some weights belong to hidden keys: 0 times a hidden
// NaN or infinity must stay 0.
void add_values_carefully(Block& b, Size key, Size keys,
                          const Vector* rescale) {
  for (Size c = 0; c < b.call.d_head; ++c) {
    for (int w = 0; w < vectors; ++w) {
      Vector sum = b.out[c * vectors + w] * rescale[w];
      for (Size j = 0; j < keys; ++j) {
        const Vector weight = b.scores[j * vectors + w];
        const float value = b.v[(key + j) * b.call.v_at.token + c];
        const Vector more = sum + weight * value;
        sum = weight == 0.0F ? sum : more;
      }
      b.out[c * vectors + w] = sum;
    }
  }
}

bool values_are_finite(const Block& b, Size key, Size keys) {
  Vector sum = {};  // of zeros, unless something is infinite or NaN
  for (Size j = 0; j < keys; ++j) {
    const float* v = b.v + (key + j) * b.call.v_at.token;
    for (Size c = 0; c < b.call.d_head; c += lanes) {
      const Size left = b.call.d_head - c;
      sum += load_first(v + c, left < lanes ? left : lanes) * 0.0F;
    }
  }
  float all = 0;
  for (int n = 0; n < lanes; ++n) all += sum[n];
  return all == 0.0F;
}
// [add values carefully]

// [masks of a tile]
constexpr float inf = __builtin_huge_valf();
constexpr float log2_e = 1.44269504F;

// Scores are in powers of two, so a bias is too.
void add_bias_and_hide_pairs(Block& b, Size key, Size keys) {
  const FusedCall& call = b.call;
  for (Size n = 0; n < queries && b.first + n < call.t_q; ++n) {
    const Size row = (b.first + n) * call.t_k + key;
    for (Size j = 0; j < keys; ++j) {
      Vector& scores = b.scores[j * vectors + n / lanes];
      if (call.bias != nullptr) {
        const float bias = call.bias[row + j];
        // A hidden score may be infinite: it is not added to.
        scores[n % lanes] =
            bias == -inf ? -inf : scores[n % lanes] + bias * log2_e;
      }
      if (call.pairs != nullptr && !call.pairs[row + j]) {
        scores[n % lanes] = -inf;
      }
    }
  }
}
// [masks of a tile]

// [hide keys]
void hide_later(Block& b, Size key, Size keys) {
  const Size shift = b.first + b.call.causal_shift;
  Ints query[vectors];
  for (int n = 0; n < queries; ++n) query[n / lanes][n % lanes] = n;
  for (Size j = 0; j < keys; ++j) {
    const auto sees_from = static_cast<std::int32_t>(key + j - shift);
    for (int w = 0; w < vectors; ++w) {
      Vector& scores = b.scores[j * vectors + w];
      scores = query[w] < sees_from ? broadcast(-inf) : scores;
    }
  }
}

void hide_padding(Block& b, Size key, Size keys) {
  const bool* real = b.call.padding + b.item * b.call.t_k + key;
  for (Size j = 0; j < keys; ++j) {
    for (int w = 0; w < vectors; ++w) {
      if (!real[j]) b.scores[j * vectors + w] = broadcast(-inf);
    }
  }
}
// [hide keys]

// [infinite scores]
bool any_infinite(const Vector* highest) {
  Ints found = {};
  for (int w = 0; w < vectors; ++w) found |= highest[w] == inf;
  return any(found);
}

// Where a score is infinite, the infinite ones share the row: they become 0,
// the others minus infinity, and the maximum that is taken off is 0.
void share_infinite(Block& b, Size keys) {
  for (Size j = 0; j < keys; ++j) {
    for (int w = 0; w < vectors; ++w) {
      Vector& s = b.scores[j * vectors + w];
      const Vector shared = s == inf ? Vector{} : s + broadcast(-inf);
      s = b.highest[w] == inf ? shared : s;
    }
  }
}
// [infinite scores]

// [new maximum]
// Takes the tile's scores into the running maximum. Sets what is to be taken
// off the scores, and the factor that brings older sums to the new maximum.
void raise_maximum(Block& b, Size keys, Vector* off, Vector* rescale) {
  for (int w = 0; w < vectors; ++w) {
    Vector highest = b.highest[w];
    for (Size j = 0; j < keys; ++j) {
      const Vector s = b.scores[j * vectors + w];
      highest = s > highest ? s : highest;
    }
    const Vector before = b.highest[w];
    // Nothing seen yet, or infinite before and now: infinities must not meet.
    const Vector change = before == highest ? Vector{} : before - highest;
    rescale[w] = exp2_below_zero(change);
    off[w] = highest == -inf || highest == inf ? Vector{} : highest;
    b.highest[w] = highest;
  }
  if (any_infinite(b.highest)) share_infinite(b, keys);
}
// [new maximum]

// [weigh a tile]
// Scores become weights, and are added up.
void weigh_tile(Block& b, Size keys, const Vector* off, const Vector* rescale) {
  Vector total[vectors] = {};
  for (Size j = 0; j < keys; ++j) {
    for (int w = 0; w < vectors; ++w) {
      Vector& s = b.scores[j * vectors + w];
      s = exp2_below_zero(s - off[w]);
      total[w] += s;
    }
  }
  for (int w = 0; w < vectors; ++w) {
    b.total[w] = b.total[w] * rescale[w] + total[w];
  }
}
// [weigh a tile]

// [add a tile]
bool all_padding(const Block& b, Size key, Size keys) {
  if (b.call.padding == nullptr) return false;
  const bool* real = b.call.padding + b.item * b.call.t_k + key;
  for (Size j = 0; j < keys; ++j) {
    if (real[j]) return false;
  }
  return true;
}

// Keys `key` to `key + keys - 1`; `later`: some may lie in a query's future.
void add_tile(Block& b, Size key, Size keys, bool later) {
  const FusedCall& call = b.call;
  if (all_padding(b, key, keys)) return;
  score_tile(b, key, keys);
  const bool table = call.bias != nullptr || call.pairs != nullptr;
  if (table) add_bias_and_hide_pairs(b, key, keys);
  if (later) hide_later(b, key, keys);
  if (call.padding != nullptr) hide_padding(b, key, keys);
  Vector off[vectors], rescale[vectors];
  raise_maximum(b, keys, off, rescale);
  weigh_tile(b, keys, off, rescale);
  const bool hides = table || later || call.padding != nullptr;
  if (hides && !values_are_finite(b, key, keys)) {
    add_values_carefully(b, key, keys, rescale);
  } else {
    add_values(b, key, keys, rescale);
  }
}
// [add a tile]

// [load queries]
// How many of the block's queries from the n-th on exist, at most `lanes`.
Size queries_left(const Block& b, Size n) {
  const Size left = b.call.t_q - b.first - n;
  return left < 0 ? 0 : left < lanes ? left : lanes;
}

// Scaled, with log2(e): from here on weights are powers of two.
void load_queries(Block& b) {
  const FusedCall& call = b.call;
  const float* q = call.q + b.item * call.q_at.item + b.head * call.q_at.head +
                   b.first * call.q_at.token;
  for (int w = 0; w < vectors; ++w) {
    const Size there = queries_left(b, w * lanes);
    for (Size c = 0; c < call.d_head; c += lanes) {
      const Size left = call.d_head - c < lanes ? call.d_head - c : lanes;
      Vector square[lanes];
      for (Size n = 0; n < lanes; ++n) {
        const float* row = q + (w * lanes + n) * call.q_at.token + c;
        square[n] = n < there ? load_first(row, left) : Vector{};
      }
      transpose(square);
      for (Size n = 0; n < left; ++n) {
        b.q[(c + n) * vectors + w] = square[n] * (call.scale * log2_e);
      }
    }
  }
}
// [load queries]

// [store outputs]
void store_outputs(const Block& b) {
  const FusedCall& call = b.call;
  float* out = call.out + b.item * call.out_at.item +
               b.head * call.out_at.head + b.first * call.out_at.token;
  for (int w = 0; w < vectors; ++w) {
    const Size there = queries_left(b, w * lanes);
    // A query that saw nothing has a total of 0, and gets zeros.
    const Vector share = b.total[w] == 0.0F ? Vector{} : 1.0F / b.total[w];
    for (Size c = 0; c < call.d_head; c += lanes) {
      const Size left = call.d_head - c < lanes ? call.d_head - c : lanes;
      Vector square[lanes];
      for (Size n = 0; n < lanes; ++n) {
        square[n] = n < left ? b.out[(c + n) * vectors + w] * share : Vector{};
      }
      transpose(square);
      for (Size n = 0; n < there; ++n) {
        store_first(square[n], out + (w * lanes + n) * call.out_at.token + c,
                    left);
      }
    }
  }
}

void store_log_sums(const Block& b) {
  const FusedCall& call = b.call;
  if (call.log_sum_exp == nullptr) return;
  float* to =
      call.log_sum_exp + (b.item * call.n_heads + b.head) * call.t_q + b.first;
  for (Size n = 0; n < queries && b.first + n < call.t_q; ++n) {
    const float highest = b.highest[n / lanes][n % lanes];
    const float total = b.total[n / lanes][n % lanes];
    to[n] = (highest + __builtin_log2f(total)) * (1 / log2_e);
  }
}
// [store outputs]

// [attend block]
Size clamp(Size x, Size low, Size high) {
  return x < low ? low : x > high ? high : x;
}

Size floats_needed(Size d_head) { return (2 * d_head + tile) * queries; }

Block make_block(const FusedCall& call, Size item, Size head, Size first,
                 float* memory) {
  const Size kv = head / (call.n_heads / call.n_kv_heads);
  Vector* q = reinterpret_cast<Vector*>(memory);
  Vector* out = q + call.d_head * vectors;
  Block b{call, item, head, first,
          call.k + item * call.k_at.item + kv * call.k_at.head,
          call.v + item * call.v_at.item + kv * call.v_at.head,
          q, out, out + call.d_head * vectors, {}, {}};
  for (Vector& highest : b.highest) highest = broadcast(-inf);
  for (Size n = 0; n < call.d_head * vectors; ++n) out[n] = Vector{};
  return b;
}

void attend_block(const FusedCall& call, Size item, Size head, Size first,
                  float* memory) {
  Block b = make_block(call, item, head, first, memory);
  load_queries(b);
  // Keys that every query sees, in whole micro-kernels; then the rest.
  Size whole = call.t_k, seen = call.t_k;
  if (call.causal) {
    const Size by_first = first + call.causal_shift + 1;
    whole = clamp(by_first, 0, call.t_k) / rows * rows;
    seen = clamp(by_first + queries - 1, 0, call.t_k);
  }
  for (Size key = 0; key < seen;) {
    const Size end = key < whole ? whole : seen;
    const Size keys = end - key < tile ? end - key : tile;
    add_tile(b, key, keys, key >= whole);
    key += keys;
  }
  store_outputs(b);
  store_log_sums(b);
}
// [attend block]

}  // namespace

// [this kernel]
/// \return the code for the width that this file is compiled for
template <>
FusedKernel fused_kernel<lanes>() {
  return {lanes, queries, attend_block, floats_needed};
}
// [this kernel]

}  // namespace mha
