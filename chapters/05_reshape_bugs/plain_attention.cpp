#include "mutation.hpp"

#include "mha/generator.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace mutants {
namespace {

// [plain sizes]
constexpr double inf = std::numeric_limits<double>::infinity();
using Call = mha::AttentionCall;

struct Sizes {
  Index items, kv_items, t_q, t_k, heads, kv_heads, d;
};

void refuse(const Call& call, const Mutator& m) {
  const bool any_batch = m.flag("refusal", "batches that differ", "let through");
  const bool any_heads = m.flag("refusal", "uneven heads", "let through");
  if ((any_batch || call.batch == call.kv_batch) &&
      (any_heads || call.q.cols() % call.n_heads == 0)) return;
  throw std::invalid_argument("batches or heads do not fit");
}
// [plain sizes]

// [plain walk]
// Steps in memory from one item, token and head to the next.
struct Walk {
  Index item, token, head;
  Index operator()(Index b, Index t, Index h, Index c) const {
    return b * item + t * token + h * head + c;
  }
};

Walk walk_q(const Sizes& s, const Mutator& m) {
  return {m.stride("q, item stride", s.t_q * s.heads * s.d, s.heads * s.d),
          m.stride("q, token stride", s.heads * s.d, s.d),
          m.stride("q, head stride", s.d, s.t_q * s.d)};
}
Walk walk_k(const Sizes& s, const Mutator& m) {
  return {m.stride("k, item stride", s.t_k * s.kv_heads * s.d,
                   s.kv_heads * s.d),
          m.stride("k, token stride", s.kv_heads * s.d, s.d),
          m.stride("k, head stride", s.d, s.t_k * s.d)};
}
// [plain walk]
// [plain walks of v and out]
Walk walk_v(const Sizes& s, const Mutator& m) {
  return {m.stride("v, item stride", s.t_k * s.kv_heads * s.d,
                   s.kv_heads * s.d),
          m.stride("v, token stride", s.kv_heads * s.d, s.d),
          m.stride("v, head stride", s.d, s.t_k * s.d)};
}
Walk walk_out(const Sizes& s, const Mutator& m) {
  return {m.stride("out, item stride", s.t_q * s.heads * s.d, s.heads * s.d),
          m.stride("out, token stride", s.heads * s.d, s.d),
          m.stride("out, head stride", s.d, s.t_q * s.d)};
}
// [plain walks of v and out]

// [plain head and scale]
Index kv_head_of(Index h, const Sizes& s, const Mutator& m) {
  const Index right = h / (s.heads / s.kv_heads);
  return m.pick<Index>("head map", "key/value head of h", right,
                       {{"h modulo G", h % s.kv_heads},
                        {"h / G", (h / s.kv_heads) % s.kv_heads},
                        {"the next one", (right + 1) % s.kv_heads},
                        {"the first", 0}, {"h itself", h}});
}

double scale_of(const Call& call, const Sizes& s, const Mutator& m) {
  const auto root = [](Index n) {
    return 1 / std::sqrt(static_cast<double>(n));
  };
  const double own = m.pick<double>(
      "scale", "own scale", root(s.d),
      {{"dropped", 1}, {"doubled", 2 * root(s.d)},
       {"squared", root(s.d) * root(s.d)}, {"of d_model", root(s.d * s.heads)},
       {"of T_k", root(s.t_k)}, {"its inverse", 1 / root(s.d)}});
  const double given = call.options.scale.value_or(own);
  return m.pick<double>("scale", "scale that is given", given,
                        {{"ignored", own}, {"squared", given * given}});
}
// [plain head and scale]

// [plain causal]
bool not_later(const Call& call, const Sizes& s, Index i, Index j,
               const Mutator& m) {
  if (call.options.causal == mha::Causal::none) return true;
  const Index shift =
      call.options.causal == mha::Causal::bottom_right ? s.t_k - s.t_q : 0;
  const Index last =
      m.pick<Index>("mask", "last key seen", i + shift,
                    {{"one later", i + shift + 1}, {"one earlier", i + shift - 1},
                     {"top-left corner", i}, {"shift doubled", i + 2 * shift},
                     {"corner mirrored", i - shift}});
  return m.pick<bool>("mask", "causal", j <= last,
                      {{"lost", true}, {"inverted", !(j <= last)},
                       {"earlier keys hidden", j >= last},
                       {"window of 16", j <= last && j > last - 16}});
}
// [plain causal]

// [plain pairs]
bool pair_seen(const Call& call, const Sizes& s, Index b, Index h, Index i,
               Index j, const Mutator& m) {
  const mha::BoolMatrix& pairs = call.options.pairs.attends();
  if (!mha::is_given(pairs)) return true;
  const bool right = at(pairs, i, j);
  return m.pick<bool>("mask", "mask of pairs", right,
                      {{"lost", true}, {"inverted", !right},
                       {"transposed", at(pairs, j, i)},
                       {"first row for all", at(pairs, 0, j)},
                       {"one key late", at(pairs, i, j - 1)},
                       {"one query late", at(pairs, i - 1, j)},
                       {"for head 0 only", right || h > 0},
                       {"for item 0 only", right || b > 0},
                       {"lost when causal",
                        right || call.options.causal != mha::Causal::none},
                       {"lost beyond 64 keys", right || s.t_k > 64}});
}
// [plain pairs]

// [plain padding]
bool real_token(const Call& call, Index b, Index h, Index i, Index j,
                const Mutator& m) {
  if (!mha::is_given(call.padding)) return true;
  const bool right = at(call.padding, b, j);
  return m.pick<bool>("mask", "padding", right,
                      {{"lost", true}, {"inverted", !right},
                       {"item 0 for all", at(call.padding, 0, j)},
                       {"of the next item", at(call.padding, b + 1, j)},
                       {"of item h", at(call.padding, h, j)},
                       {"one key late", at(call.padding, b, j - 1)},
                       {"one key early", at(call.padding, b, j + 1)},
                       {"hides queries", at(call.padding, b, i)},
                       {"lost when causal",
                        right || call.options.causal != mha::Causal::none},
                       {"lost beside a mask of pairs",
                        right || mha::is_given(call.options.pairs.attends())}});
}
// [plain padding]

// [plain bias]
double bias_of(const Call& call, Index h, Index i, Index j, double scale,
               const Mutator& m) {
  const mha::Matrix<double>& bias = call.options.bias;
  if (!mha::is_given(bias)) return 0;
  const auto all = reading(bias);
  const double right = all[i * bias.cols() + j];
  return m.pick<double>("bias", "bias", right,
                        {{"lost", 0}, {"subtracted", -right},
                         {"doubled", 2 * right}, {"scaled", scale * right},
                         {"transposed", all[j * bias.rows() + i]},
                         {"first row for all", all[j]},
                         {"one key late", all[i * bias.cols() + j - 1]},
                         {"for head 0 only", h == 0 ? right : 0},
                         {"lost when causal",
                          call.options.causal == mha::Causal::none ? right : 0}});
}
// [plain bias]

// [plain state]
// All that the loops below look at, and what would be left over from one row
// to the next if it were not reset.
struct Work {
  const Call& call;
  const Mutator& m;
  Sizes s;
  Walk q, k, v, out;
  double scale;
  std::vector<double> scores = {}, weights = {};
  std::vector<char> seen = {};  // not vector<bool>: an element is wanted
  double total = 0;
  double mixed = 0;
};
// [plain state]

// [plain score]
double dot(const Work& w, Index b, Index h, Index kv, Index i, Index j) {
  const Mutator& m = w.m;
  const auto q = reading(w.call.q), k = reading(w.call.k);
  double sum = 0;
  for (Index c = m.first("columns of a score, first");
       c < m.end("columns of a score, end", w.s.d); ++c) {
    const double x = q[w.q(m.index("q, item", b), m.index("q, token", i),
                           m.index("q, head", h), m.index("q, column", c))];
    const double y = k[w.k(m.index("k, item", b), m.index("k, token", j),
                           m.index("k, head", kv), m.index("k, column", c))];
    sum = m.sum("dot product", sum + x * y);
  }
  return sum;
}
// [plain score]

// [plain visible]
bool visible(const Work& w, Index b, Index h, Index i, Index j) {
  const bool causal = not_later(w.call, w.s, i, j, w.m);
  const bool pairs = pair_seen(w.call, w.s, b, h, i, j, w.m);
  const bool padding = real_token(w.call, b, h, i, j, w.m);
  return w.m.pick<bool>("mask", "masks joined", causal && pairs && padding,
                        {{"by or", causal || pairs || padding},
                         {"all inverted", !(causal && pairs && padding)},
                         {"diagonal always seen",
                          (causal && pairs && padding) || i == j}});
}
// [plain visible]

// [plain row of scores]
void score_row(Work& w, Index b, Index h, Index kv, Index i) {
  const auto n = static_cast<std::size_t>(w.s.t_k);
  w.scores.assign(n, -inf);
  w.seen.assign(n, 0);
  for (Index j = w.m.first("keys of a score, first");
       j < w.m.end("keys of a score, end", w.s.t_k); ++j) {
    const auto at_j = static_cast<std::size_t>(j);
    const double score = w.scale * dot(w, b, h, kv, i, j) +
                         bias_of(w.call, h, i, j, w.scale, w.m);
    const bool see = visible(w, b, h, i, j);
    w.seen[at_j] = see && score != -inf;
    const double fill = w.m.pick<double>(
        "mask", "score of a hidden key", -inf,
        {{"-10000", -10000}, {"0", 0}, {"-100", -100}, {"-1e9", -1e9}});
    if (fill != -inf) w.seen[at_j] = 1;
    w.scores[at_j] = see ? score : fill;
  }
}
// [plain row of scores]

// [plain maximum]
double highest_of(const Work& w) {
  double highest = w.m.pick<double>(
      "softmax", "maximum, start", -inf,
      {{"from 0", 0}, {"from -100", -100}, {"from the first key", w.scores[0]}});
  for (std::size_t j = 0; j < w.scores.size(); ++j) {
    if (!w.seen[j]) continue;
    if (w.scores[j] > highest) highest = w.scores[j];
    if (w.m.flag("softmax", "maximum, every key", "of the first key only"))
      break;
  }
  return w.m.pick<double>("softmax", "maximum taken off", highest,
                          {{"not at all", 0}, {"twice", 2 * highest}});
}
// [plain maximum]

// [plain exponential]
double exponential(const Work& w, double score, double highest) {
  const double less = score - highest;
  const double right = score == highest ? 1 : std::exp(less);
  return w.m.pick<double>("softmax", "exponential", right,
                          {{"of infinity less infinity", std::exp(less)},
                           {"to the base 2", std::exp2(less)},
                           {"of half the score", std::exp(less / 2)},
                           {"cut off below -20", less < -20 ? 0 : right},
                           {"as float", static_cast<double>(std::exp(
                                            static_cast<float>(less)))}});
}
// [plain exponential]

// [plain softmax]
void weigh_row(Work& w) {
  const Mutator& m = w.m;
  const double highest = highest_of(w);
  w.total = m.pick<double>("softmax", "total, start", 0,
                           {{"from 1", 1}, {"not reset", w.total}});
  w.weights.assign(w.scores.size(), 0);
  const auto n = static_cast<Index>(w.scores.size());
  for (Index j = m.first("keys of the total, first");
       j < m.end("keys of the total, end", n); ++j) {
    const auto at_j = static_cast<std::size_t>(j);
    if (!w.seen[at_j]) continue;
    w.weights[at_j] = exponential(w, w.scores[at_j], highest);
    w.total = m.sum("total", w.total + w.weights[at_j]);
  }
  const bool divided = w.total > 0 || m.flag("softmax", "empty row", "divided");
  if (m.flag("softmax", "division", "forgotten")) return;
  for (double& weight : w.weights) weight = divided ? weight / w.total : 0;
}
// [plain softmax]

// [plain values]
double mix(Work& w, Index b, Index h, Index kv, Index c) {
  const Mutator& m = w.m;
  const auto v = reading(w.call.v);
  w.mixed = m.pick<double>("sum", "sum of values, start", 0,
                           {{"not reset", w.mixed}, {"from 1", 1}});
  for (Index j = m.first("keys of the values, first");
       j < m.end("keys of the values, end", w.s.t_k); ++j) {
    const double weight = w.weights[static_cast<std::size_t>(j)];
    if (weight == 0 && !m.flag("NaN", "value of a hidden key", "times 0"))
      continue;
    const double value =
        v[w.v(m.index("v, item", b), m.index("v, token", j),
              m.pick<Index>("head map", "v, head", kv,
                            {{"plus 1", kv + 1}, {"0", 0}, {"h", h}}),
              m.index("v, column", c))];
    w.mixed = m.sum("sum of values", w.mixed + weight * value);
  }
  return w.mixed;
}
// [plain values]

// [plain dropout]
void drop(Work& w, Index map, Index i) {
  const bool dropping =
      w.m.pick<bool>("dropout", "dropout", w.call.training,
                     {{"when testing as well", true}});
  if (!dropping || w.call.dropout == 0) return;
  mha::TorchGenerator generator(w.call.seed * 1000 +
                                static_cast<std::uint32_t>(100 * map + i));
  const auto draws = generator.uniform(1, w.s.t_k, 0, 1);
  for (Index j = 0; j < w.s.t_k; ++j) {
    double& weight = w.weights[static_cast<std::size_t>(j)];
    weight = static_cast<double>(draws(0, j)) < w.call.dropout
                 ? 0
                 : weight / (1 - w.call.dropout);
  }
}
// [plain dropout]

// [plain returned]
void keep(Work& w, mha::AttentionAnswer& answer, Index b, Index h, Index i) {
  const Mutator& m = w.m;
  const Index maps = w.s.items * w.s.heads;
  const Index map = m.pick<Index>(
      "returned", "map of item and head", b * w.s.heads + h,
      {{"items and heads exchanged", h * w.s.items + b}, {"plus 1",
       b * w.s.heads + h + 1}, {"of item 0", h}, {"of head 0",
       b * w.s.heads}});
  mha::Matrix<double>& kept =
      answer.weights[static_cast<std::size_t>(map % maps)];
  for (Index j = 0; j < w.s.t_k; ++j) {
    const double weight = w.weights[static_cast<std::size_t>(j)];
    const auto all = writing(kept);
    all[m.index("map, query", i) * w.s.t_k + m.index("map, key", j)] =
        m.pick<double>("returned", "weight", weight,
                       {{"before the division", weight * w.total},
                        {"doubled", 2 * weight}, {"as float",
                         static_cast<double>(static_cast<float>(weight))}});
  }
}
// [plain returned]

// [plain row]
void attend_row(Work& w, mha::AttentionAnswer& answer, Index b, Index h,
                Index i) {
  const Mutator& m = w.m;
  const Index kv = kv_head_of(h, w.s, m);
  score_row(w, b, h, kv, i);
  weigh_row(w);
  const bool late = m.flag("dropout", "maps are kept", "after the dropout");
  if (!late) keep(w, answer, b, h, i);
  drop(w, b * w.s.heads + h, i);
  if (late) keep(w, answer, b, h, i);
  if (!w.call.need_weights &&
      m.flag("returned", "output", "halved when no map is asked for")) {
    for (double& weight : w.weights) weight /= 2;
  }
  const auto out = writing(answer.output);
  for (Index c = m.first("columns of the output, first");
       c < m.end("columns of the output, end", w.s.d); ++c) {
    out[w.out(m.index("out, item", b), m.index("out, token", i),
              m.index("out, head", h), m.index("out, column", c))] =
        mix(w, b, h, kv, c);
  }
}
// [plain row]

}  // namespace

// [plain loops]
mha::AttentionAnswer plain_attention(const Call& call, const Mutator& m) {
  refuse(call, m);
  const Sizes s = {call.batch, call.kv_batch, tokens_of(call), keys_of(call),
                   call.n_heads, call.n_kv_heads, d_head_of(call)};
  Work w = {call, m, s, walk_q(s, m), walk_k(s, m), walk_v(s, m),
            walk_out(s, m), scale_of(call, s, m)};
  mha::AttentionAnswer answer;
  answer.output = mha::Matrix<double>::Zero(call.q.rows(), call.q.cols());
  answer.weights.assign(static_cast<std::size_t>(s.items * s.heads),
                        mha::Matrix<double>::Zero(s.t_q, s.t_k));
  for (Index b = m.first("items, first"); b < m.end("items, end", s.items); ++b)
    for (Index h = m.first("heads, first"); h < m.end("heads, end", s.heads);
         ++h)
      for (Index i = m.first("queries, first");
           i < m.end("queries, end", s.t_q); ++i)
        attend_row(w, answer, b, h, i);
  return answer;
}
// [plain loops]

}  // namespace mutants
