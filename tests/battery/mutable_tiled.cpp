#include "mutable_programs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mutants {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr Index tile = 16;

struct Row {
  const mha::AttentionCall& call;
  const Mutator& m;
  Index b, h, i;  // item, query head, query
};

bool seen(const Row& row, Index j) {
  const mha::AttentionCall& call = row.call;
  const mha::BoolMatrix& pairs = call.options.pairs.attends();
  return (!mha::is_given(pairs) || at(pairs, row.i, j)) &&
         (!mha::is_given(call.padding) || at(call.padding, row.b, j));
}

double score(const Row& row, Index j) {
  const mha::AttentionCall& call = row.call;
  const Index d = d_head_of(call);
  const Index kv = row.h / (call.n_heads / call.n_kv_heads);
  const Index q_row = row.b * tokens_of(call) + row.i;
  const Index k_row = row.b * keys_of(call) + j;
  double sum = 0;
  for (Index c = 0; c < d; ++c) {
    sum += reading(call.q)[q_row * call.q.cols() + row.h * d + c] *
           reading(call.k)[k_row * call.k.cols() + kv * d + c];
  }
  sum *= call.options.scale.value_or(1 / std::sqrt(static_cast<double>(d)));
  const mha::Matrix<double>& bias = call.options.bias;
  if (mha::is_given(bias)) sum += reading(bias)[row.i * bias.cols() + j];
  return seen(row, j) ? sum : -inf;
}

double value(const Row& row, Index j, Index c) {
  const mha::AttentionCall& call = row.call;
  const Index d = d_head_of(call);
  const Index kv = row.h / (call.n_heads / call.n_kv_heads);
  return reading(call.v)[(row.b * keys_of(call) + j) * call.v.cols() + kv * d +
                         c];
}

// What is carried from tile to tile.
struct Running {
  double highest;
  double total = 0;
  std::vector<double> context;
};

void add_key(const Row& row, Index j, double s, Running& now) {
  const double weight =
      s == now.highest ? 1 : std::exp(s - now.highest);
  now.total = row.m.sum("running total", now.total + weight);
  if (weight == 0 && !row.m.flag("NaN", "weight of 0", "times the value"))
    return;
  for (std::size_t c = 0; c < now.context.size(); ++c) {
    now.context[c] += weight * value(row, j, static_cast<Index>(c));
  }
}

void correct(const Row& row, double before, Running& now) {
  const Mutator& m = row.m;
  const double right =
      before == now.highest || before == -inf ? 1
                                              : std::exp(before - now.highest);
  now.total *= m.pick<double>("running softmax", "correction of the total",
                              right, {{"left out", 1}, {"inverse", 1 / right},
                                      {"squared", right * right}});
  for (double& x : now.context) {
    x *= m.pick<double>("running softmax", "correction of the context", right,
                        {{"left out", 1}, {"inverse", 1 / right},
                         {"squared", right * right}});
  }
}

void add_tile(const Row& row, Index from, Index end, Running& now) {
  const Mutator& m = row.m;
  const double before = now.highest;
  std::vector<double> scores;
  for (Index j = from; j < end; ++j) scores.push_back(score(row, j));
  double of_tile = -inf;
  for (const double s : scores) of_tile = std::max(of_tile, s);
  now.highest = m.pick<double>(
      "running softmax", "running maximum", std::max(before, of_tile),
      {{"of this tile", of_tile}, {"of the first tile", from == 0 ? of_tile
                                                                   : before},
       {"of the tile's first key", std::max(before, scores.empty()
                                                       ? before : scores[0])}});
  const bool unseen = now.highest == -inf;
  if (unseen && !m.flag("running softmax", "tile with no key seen",
                        "corrected all the same")) return;
  if (unseen) now.total *= std::exp(before - now.highest);  // NaN
  correct(row, before, now);
  for (Index j = from; j < end; ++j) {
    const double s = scores[static_cast<std::size_t>(j - from)];
    if (s != -inf) add_key(row, j, s, now);
  }
}

void attend_row(const Row& row, mha::Matrix<double>& output) {
  const mha::AttentionCall& call = row.call;
  const Mutator& m = row.m;
  const Index t_k = keys_of(call), d = d_head_of(call);
  Index end = t_k;
  if (call.options.causal != mha::Causal::none) {
    end = std::clamp<Index>(
        m.pick<Index>("tile", "end of a causal row",
                      row.i + t_k - tokens_of(call) + 1,
                      {{"whole tiles",
                        (row.i + t_k - tokens_of(call) + tile) / tile * tile},
                       {"tiles before its own",
                        (row.i + t_k - tokens_of(call)) / tile * tile},
                       {"all keys", t_k}}), 0, t_k);
  }
  end = m.pick<Index>("tile", "tail of the keys", end,
                      {{"ignored", end < tile ? end : end / tile * tile},
                       {"one key short", end > tile ? end - 1 : end}});
  Running now = {m.pick<double>("running softmax", "running maximum, start",
                                -inf, {{"from 0", 0}}),
                 0, std::vector<double>(static_cast<std::size_t>(d), 0.0)};
  const Index step = m.pick<Index>("tile", "step", tile,
                                   {{"one short", tile - 1},
                                    {"one long", tile + 1}});
  for (Index from = m.pick<Index>("tile", "first", 0, {{"the second", tile}});
       from < end; from += step) {
    add_tile(row, from,
             std::min(end, from + m.pick<Index>("tile", "width", tile,
                                                {{"one short", tile - 1},
                                                 {"one long", tile + 1}})),
             now);
  }
  if (!(now.total > 0) && !std::isnan(now.total) &&
      !m.flag("running softmax", "empty row", "divided")) return;
  for (Index c = 0; c < d; ++c) {
    output(row.b * tokens_of(call) + row.i, row.h * d + c) =
        now.context[static_cast<std::size_t>(c)] /
        m.pick<double>("running softmax", "division", now.total,
                       {{"forgotten", 1}});
  }
}

}  // namespace

mha::AttentionAnswer tiled_attention(const mha::AttentionCall& call,
                                     const Mutator& m) {
  mha::AttentionAnswer answer;
  answer.output = mha::Matrix<double>::Zero(call.q.rows(), call.q.cols());
  for (Index b = 0; b < call.batch; ++b)
    for (Index h = 0; h < call.n_heads; ++h)
      for (Index i = 0; i < tokens_of(call); ++i)
        attend_row({call, m, b, h, i}, answer.output);
  return answer;
}

}  // namespace mutants
