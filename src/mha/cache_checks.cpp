#include "mha/cache_checks.hpp"

#include "mha/measure.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

namespace mha {

// [tokens between]
namespace {
// `count` tokens of each item, from token `from` on.
Matrix<double> tokens_between(const Matrix<double>& rows, Index batch,
                              Index from, Index count) {
  const Index tokens = rows.rows() / batch;
  Matrix<double> part(batch * count, rows.cols());
  for (Index b = 0; b < batch; ++b) {
    part.middleRows(b * count, count) =
        rows.middleRows(b * tokens + from, count);
  }
  return part;
}

// The way back: writes a piece's rows to their tokens.
void put_tokens(Matrix<double>& rows, const Matrix<double>& part, Index batch,
                Index from) {
  const Index tokens = rows.rows() / batch, count = part.rows() / batch;
  for (Index b = 0; b < batch; ++b) {
    rows.middleRows(b * tokens + from, count) =
        part.middleRows(b * count, count);
  }
}
}  // namespace
// [tokens between]

// [piece of]
AttentionCall piece_of(const AttentionCall& call, Index from, Index count) {
  AttentionCall piece;
  piece.q = tokens_between(call.q, call.batch, from, count);
  piece.k = tokens_between(call.k, call.batch, from, count);
  piece.v = tokens_between(call.v, call.batch, from, count);
  piece.batch = piece.kv_batch = call.batch;
  piece.n_heads = call.n_heads;
  piece.n_kv_heads = call.n_kv_heads;
  piece.options.causal = Causal::bottom_right;
  piece.options.scale = call.options.scale;
  return piece;
}
// [piece of]

// [feed]
namespace {
// Feeds a piece and checks the shape of what comes.
Matrix<double> feed(const CacheSession& session, const AttentionCall& piece) {
  Matrix<double> got = session(piece);
  if (got.rows() == piece.q.rows() && got.cols() == piece.q.cols()) return got;
  throw std::runtime_error(
      fmt::format("the output of a piece is {} x {}, expected {} x {}",
                  got.rows(), got.cols(), piece.q.rows(), piece.q.cols()));
}

// What the last `count` tokens get, the others having been fed in one piece.
Matrix<double> feed_in_two(const CachedAttention& make,
                           const AttentionCall& call, Index count) {
  const CacheSession session = make();
  const Index before = tokens_of(call) - count;
  if (before > 0) feed(session, piece_of(call, 0, before));
  return feed(session, piece_of(call, before, count));
}
// [feed]

// [queries at the end]
// The call with T_k tokens, of which the last have the queries given.
AttentionCall with_queries_last(const AttentionCall& call,
                                const Matrix<double>& queries) {
  AttentionCall whole = call;
  whole.q = Matrix<double>::Zero(call.k.rows(), call.q.cols());
  put_tokens(whole.q, queries, call.batch,
             keys_of(call) - queries.rows() / call.batch);
  return whole;
}
}  // namespace
// [queries at the end]

// [attention of cache]
AttentionFunction attention_of_cache(CachedAttention make) {
  return [make = std::move(make)](const AttentionCall& call) {
    const Index t_q = tokens_of(call), t_k = keys_of(call);
    AttentionAnswer answer;
    answer.output = Matrix<double>::Zero(call.q.rows(), call.q.cols());
    const auto ask = [&](Index first, Index count) {
      const Matrix<double> queries =
          tokens_between(call.q, call.batch, first, count);
      put_tokens(answer.output,
                 feed_in_two(make, with_queries_last(call, queries), count),
                 call.batch, first);
    };
    if (call.options.causal == Causal::bottom_right) {
      const Index seeing = std::min(t_q, t_k);  // the others see no key
      ask(t_q - seeing, seeing);
    } else {
      for (Index i = 0; i < t_q; ++i) ask(i, 1);
    }
    return answer;
  };
}
// [attention of cache]

namespace {

// [cache input]
AttentionCall cache_input(CacheTrial& trial, std::uint32_t seed, Index batch,
                          Index tokens) {
  const Abilities& can = trial.abilities;
  const CallSizes sizes = {can.batches ? batch : 1, tokens, tokens, 2,
                           can.shared_heads ? 1 : 2, 3};
  trial.asked = fmt::format(
      "batch {}, {} tokens, n_heads {}, n_kv_heads {}, d_head {}",
      sizes.batch, tokens, sizes.n_heads, sizes.n_kv_heads, sizes.d_head);
  AttentionCall call = random_call(seed, sizes);
  call.options.causal = Causal::bottom_right;
  return call;
}
// [cache input]

// [fed in pieces]
// Feeds tokens in pieces of these sizes, over and over. A piece is blotted out
// when it has been fed: a cache that points to it has kept nothing.
Matrix<double> fed_in_pieces(const CacheSession& session,
                             const AttentionCall& call,
                             const std::vector<Index>& pieces) {
  Matrix<double> output(call.q.rows(), call.q.cols());
  std::deque<AttentionCall> fed;
  std::size_t next = 0;
  for (Index from = 0; from < tokens_of(call);) {
    const Index count = std::min(pieces[next], tokens_of(call) - from);
    AttentionCall& piece = fed.emplace_back(piece_of(call, from, count));
    put_tokens(output, feed(session, piece), call.batch, from);
    piece.k.setZero();
    piece.v.setZero();
    from += count;
    next = (next + 1) % pieces.size();
  }
  return output;
}
// [fed in pieces]

// [same in pieces]
std::string in_these_pieces(CacheTrial& trial,
                            const std::vector<Index>& pieces) {
  for (const Index batch : {1, 2})
    for (const Index tokens : {1, 2, 3, 4, 7, 33, 150}) {
      const AttentionCall call = cache_input(trial, 81, batch, tokens);
      const Matrix<double> expected = by_definition(call);
      const Matrix<double> got = fed_in_pieces(trial.make(), call, pieces);
      if (differ(expected, got, trial.abilities.epsilon)) {
        return fmt::format("{} tokens: off by {:.2g} from the definition",
                           tokens, max_abs_difference(expected, got));
      }
    }
  return "";
}

std::string at_once(CacheTrial& trial) { return in_these_pieces(trial, {150}); }
std::string one_by_one(CacheTrial& trial) { return in_these_pieces(trial, {1}); }
std::string mixed_pieces(CacheTrial& trial) {
  return in_these_pieces(trial, {3, 1, 2, 5});
}
// [same in pieces]

// [new session]
std::string starts_empty(CacheTrial& trial) {
  const AttentionCall call = cache_input(trial, 82, 1, 4);
  const Matrix<double> first = fed_in_pieces(trial.make(), call, {2});
  const Matrix<double> second = fed_in_pieces(trial.make(), call, {2});
  return differ(first, second, trial.abilities.epsilon)
             ? "the same tokens in a second session give another output"
             : "";
}
// [new session]

// [two sessions]
std::string sessions_apart(CacheTrial& trial) {
  const AttentionCall one = cache_input(trial, 83, 1, 4);
  const AttentionCall other = cache_input(trial, 84, 1, 4);
  const CacheSession a = trial.make(), b = trial.make();
  Matrix<double> got(4, one.q.cols());
  for (Index t = 0; t < 4; ++t) {
    got.row(t) = feed(a, piece_of(one, t, 1));
    feed(b, piece_of(other, t, 1));
  }
  return differ(by_definition(one), got, trial.abilities.epsilon)
             ? "a second session, fed in between, changes the first"
             : "";
}
// [two sessions]

// [items apart]
std::string items_apart(CacheTrial& trial) {
  const AttentionCall call = cache_input(trial, 85, 3, 4);
  const Matrix<double> before = fed_in_pieces(trial.make(), call, {1});
  for (Index changed = 0; changed < 3; ++changed) {
    AttentionCall other = call;
    other.k.middleRows(4 * changed, 4).setConstant(3);
    other.v.middleRows(4 * changed, 4).setConstant(9);
    const Matrix<double> after = fed_in_pieces(trial.make(), other, {1});
    for (Index b = 0; b < 3; ++b) {
      if (b != changed && differ(before.middleRows(4 * b, 4),
                                 after.middleRows(4 * b, 4),
                                 trial.abilities.epsilon)) {
        return fmt::format("item {} was changed, and item {} changed",
                           changed, b);
      }
    }
  }
  return "";
}
// [items apart]

}  // namespace

// [cache checks list]
const std::vector<CacheCheck>& cache_checks() {
  static const std::vector<CacheCheck> all = {
      {"tokens fed at once get what the definition says", at_once},
      {"tokens fed one by one get the same", one_by_one},
      {"tokens fed in pieces of several sizes get the same", mixed_pieces},
      {"a new session starts empty", starts_empty},
      {"two sessions do not mix", sessions_apart},
      {"items of a batch keep apart in the cache", items_apart,
       {&Abilities::batches}}};
  return all;
}
// [cache checks list]

// [check cached attention]
BatteryReport check_sessions(const CachedAttention& make,
                             const Abilities& abilities) {
  BatteryReport report;
  for (const CacheCheck& check : cache_checks()) {
    CacheTrial trial{make, abilities};
    report.results.push_back(
        make_check({check.sentence, "05f_your_own_layer",
                    has_all(check.needs, abilities)},
                   [&] { return check.find(trial); },
                   [&] { return trial.asked; }));
  }
  return report;
}

BatteryReport check_cached_attention(const CachedAttention& make,
                                     const Abilities& abilities) {
  Abilities inside = abilities;
  inside.pairs = inside.padding = inside.bias = inside.weights = false;
  inside.training = inside.refuses = false;
  BatteryReport report = check_attention(attention_of_cache(make), inside);
  for (CheckResult& one : check_sessions(make, abilities).results)
    report.results.push_back(std::move(one));
  return report;
}
// [check cached attention]

}  // namespace mha
