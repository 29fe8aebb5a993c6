#include "mutable_programs.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace mutants {
namespace {

using Numbers = mha::Matrix<double>;

// Keys and values, (batch, capacity, width); `length` tokens are in.
struct Store {
  Index batch = 0, capacity = 0, length = 0, width = 0;
  Numbers k, v;  // (batch capacity, width)
};

void grow(Store& store, Index needed, const Mutator& m) {
  if (needed <= store.capacity) return;
  const Index capacity = std::max<Index>(needed, 2 * store.capacity);
  Numbers k = Numbers::Zero(store.batch * capacity, store.width), v = k;
  const Index kept = m.pick<Index>("cache", "tokens kept when it grows",
                                   store.length,
                                   {{"one less", store.length - 1},
                                    {"none", 0}});
  for (Index b = 0; b < store.batch; ++b)
    for (Index t = 0; t < kept; ++t) {
      const Index to = b * capacity + t;
      const Index from =
          b * m.pick<Index>("cache", "item stride when it grows",
                            store.capacity, {{"the new one", capacity}}) + t;
      const Index rows = std::max<Index>(1, store.k.rows());
      k.row(to) = store.k.row(from % rows);
      v.row(to) = store.v.row(
          m.index("token of v when it grows", from) < 0
              ? 0 : m.index("token of v when it grows", from) % rows);
    }
  store.k = std::move(k);
  store.v = std::move(v);
  store.capacity = capacity;
}

Index inside(Index row, Index rows) { return ((row % rows) + rows) % rows; }

void append(Store& store, const mha::AttentionCall& piece, const Mutator& m) {
  const Index count = tokens_of(piece);
  if (store.width == 0) {
    store.batch = piece.batch;
    store.width = piece.k.cols();
  }
  grow(store, store.length + count, m);
  const Index rows = store.k.rows();
  for (Index b = 0; b < piece.batch; ++b)
    for (Index t = m.first("tokens appended, first");
         t < m.end("tokens appended, end", count); ++t) {
      const Index item = m.index("cache, item", b) * store.capacity;
      store.k.row(inside(item + m.index("cache, position of k",
                                        store.length + t), rows)) =
          piece.k.row(inside(m.index("piece, item", b) * count + t,
                             piece.k.rows()));
      store.v.row(inside(item + m.pick<Index>(
                                    "cache", "position of v",
                                    store.length + t,
                                    {{"one late", store.length + t + 1},
                                     {"one early", store.length + t - 1},
                                     {"of the piece", t}}), rows)) =
          piece.v.row(b * count + t);
    }
  store.length += m.pick<Index>("cache", "tokens counted", count,
                                {{"one a piece", 1}, {"one less", count - 1},
                                 {"no more than 64",
                                  store.length + count > 64 ? 0 : count}});
}

struct Query {
  const mha::AttentionCall& piece;
  const Store& store;
  const Mutator& m;
  Index b, h, i, past;
};

double score(const Query& one, Index j) {
  const Index d = d_head_of(one.piece);
  const Index kv = one.h / (one.piece.n_heads / one.piece.n_kv_heads);
  const Index q_row = one.b * tokens_of(one.piece) + one.i;
  const Index k_row = inside(
      one.m.pick<Index>("cache", "item read", one.b,
                        {{"the first", 0}, {"the next", one.b + 1}}) *
          one.store.capacity + one.m.index("cache, key read", j),
      one.store.k.rows());
  double sum = 0;
  for (Index c = 0; c < d; ++c)
    sum += one.piece.q(q_row, one.h * d + c) *
           one.store.k(k_row, kv * d + c);
  const double root = 1 / std::sqrt(static_cast<double>(d));
  return sum * one.m.pick<double>("scale", "scale",
                                  one.piece.options.scale.value_or(root),
                                  {{"given one ignored", root},
                                   {"dropped", 1}});
}

void attend(const Query& one, Numbers& output) {
  const Index d = d_head_of(one.piece);
  const Index kv = one.h / (one.piece.n_heads / one.piece.n_kv_heads);
  const Index last = one.past + one.i;
  const Index end = std::min(
      one.store.length,
      one.m.pick<Index>("mask", "keys seen", last + 1,
                        {{"one more", last + 2}, {"not itself", last},
                         {"the whole cache", one.store.length},
                         {"those of the piece", one.i + 1},
                         {"those before the piece", one.past},
                         {"none past 100", std::min<Index>(last + 1, 100)}}));
  std::vector<double> weights;
  for (Index j = one.m.first("keys of the cache, first"); j < end; ++j)
    weights.push_back(score(one, j));
  if (weights.empty()) return;
  const double highest = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& w : weights) {
    w = w == highest ? 1 : std::exp(w - highest);
    total += w;
  }
  const Index first = end - static_cast<Index>(weights.size());
  for (Index j = first; j < end; ++j)
    for (Index c = 0; c < d; ++c) {
      const Index row = inside(one.b * one.store.capacity +
                                   one.m.index("cache, value read", j),
                               one.store.v.rows());
      output(one.b * tokens_of(one.piece) + one.i, one.h * d + c) +=
          weights[static_cast<std::size_t>(j - first)] / total *
          one.store.v(row, kv * d + c);
    }
}

Numbers fed(Store& store, const mha::AttentionCall& piece, const Mutator& m) {
  const Index past = store.length;
  const bool late = m.flag("cache", "tokens are appended",
                           "after they have asked");
  if (!late) append(store, piece, m);
  Numbers output = Numbers::Zero(piece.q.rows(), piece.q.cols());
  if (store.length > 0 && store.k.size() > 0) {
    for (Index b = 0; b < piece.batch; ++b)
      for (Index h = 0; h < piece.n_heads; ++h)
        for (Index i = 0; i < tokens_of(piece); ++i)
          attend({piece, store, m, b, h, i, past}, output);
  }
  if (late) append(store, piece, m);
  return output;
}

}  // namespace

mha::CachedAttention growing_cache(const Mutator& m) {
  const auto shared = std::make_shared<Store>();
  return [m, shared]() -> mha::CacheSession {
    const Index whose = m.pick<Index>(
        "session", "store", 0,
        {{"one for all sessions, cleared by each", 1},
         {"one for all sessions, never cleared", 2}});
    if (whose == 1) *shared = {};
    const auto store = whose > 0 ? shared : std::make_shared<Store>();
    return [m, store](const mha::AttentionCall& piece) {
      const bool fits =
          store->batch == piece.batch && store->width == piece.k.cols();
      if (!fits) *store = {};  // another session's, of other sizes
      return fed(*store, piece, m);
    };
  };
}

}  // namespace mutants
