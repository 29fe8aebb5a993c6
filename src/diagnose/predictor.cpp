#include "predictor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

namespace diagnose {

using mha::BoolMatrix;

namespace {

Numbers rows_of(const Numbers& all, const std::vector<Index>& rows) {
  Numbers some(static_cast<Index>(rows.size()), all.cols());
  for (Index i = 0; i < some.rows(); ++i) {
    some.row(i) = all.row(rows[static_cast<std::size_t>(i)]);
  }
  return some;
}

// Kept for later, as long as all of it takes less than 256 MiB or so.
constexpr Index most_kept = Index{1} << 25;

bool every_row(const std::vector<Index>& rows, Index count) {
  return static_cast<Index>(rows.size()) == count;
}

}  // namespace

void Predictor::round(Numbers& numbers) const {
  for (double& x : numbers.reshaped()) x = rounded_to(reading_.type, x);
}

// On two cores, and once for each pair of factors.
Numbers Predictor::product(const Numbers& x, const Numbers& w) {
  for (const Product& done : products_) {
    if (done.x == x.data() && done.w.rows() == w.rows() &&
        done.w.cols() == w.cols() && done.w == w) {
      return done.y;
    }
  }
  Numbers y(x.rows(), w.cols());
  const Index half = x.rows() / 2;
  std::thread other([&] { y.topRows(half).noalias() = x.topRows(half) * w; });
  y.bottomRows(x.rows() - half).noalias() =
      x.bottomRows(x.rows() - half) * w;
  other.join();
  products_.push_back({x.data(), w, y});
  return y;
}

const Weights& Predictor::weights(Reread reread) {
  const auto known = weights_.find(reread);
  if (known != weights_.end()) return known->second;
  return weights_[reread] =
             reread ? reread(reading_.weights, reading_.call.n_heads)
                    : reading_.weights;
}

const Call& Predictor::projected(Reread reread) {
  if (!reading_.layer) return reading_.call;
  const auto known = projected_.find(reread);
  if (known != projected_.end()) return known->second;
  const Weights& w = weights(reread);
  Call call = reading_.call;
  const auto project = [&](const Numbers& x, const Numbers& matrix,
                           const mha::RowVector<double>& bias) {
    Numbers y = product(x, matrix);
    if (bias.size() != 0) y.rowwise() += bias;
    return y;
  };
  call.q = project(reading_.x_q, w.w_q, w.b_q);
  call.k = project(reading_.x_kv, w.w_k, w.b_k);
  call.v = project(reading_.x_kv, w.w_v, w.b_v);
  return projected_[reread] = std::move(call);
}

const Call& Predictor::call_for(const Hypothesis& hypothesis) {
  const Call& call = projected(hypothesis.reread);
  if (!hypothesis.rewrite.before) return call;
  const auto key = std::pair(hypothesis.reread, hypothesis.rewrite.before);
  const auto known = calls_.find(key);
  if (known != calls_.end()) return known->second;
  return calls_[key] = hypothesis.rewrite.before(call);
}

// Head h of item b of the queries (0), keys (1) or values (2).
const Numbers& Predictor::head(const Hypothesis& hypothesis, const Call& call,
                               int which, Index b, Index h) {
  const Head key = {hypothesis.reread, hypothesis.rewrite.before,
                    hypothesis.steps.take, which, b, h};
  const auto known = heads_.find(key);
  if (known != heads_.end()) return known->second;
  const Numbers& all = which == 0 ? call.q : which == 1 ? call.k : call.v;
  const Index size = tokens_of(call) * d_head_of(call);
  if (size * std::ssize(heads_) > most_kept) heads_.clear();
  return heads_[key] = hypothesis.steps.take(
             {all, which == 0 ? call.batch : call.kv_batch,
              which == 0 ? call.n_heads : call.n_kv_heads},
             b, h);
}

// Sends numbers through the merge instead of contexts, to see where each goes.
Predictor::Sources Predictor::sources(const Hypothesis& hypothesis,
                                      const Call& call,
                                      const std::vector<Index>& rows) {
  const Place key = {hypothesis.rewrite.before, hypothesis.rewrite.after,
                     hypothesis.steps.put};
  const Index t_q = tokens_of(call), d = d_head_of(call);
  if (places_.find(key) == places_.end()) {
    Numbers numbered = Numbers::Constant(call.batch * t_q, call.q.cols(), -1);
    Numbers context(t_q, d);
    for (Index map = 0; map < call.batch * call.n_heads; ++map) {
      std::iota(context.data(), context.data() + context.size(),
                static_cast<double>(map * context.size()));
      hypothesis.steps.put(numbered, context, call, map / call.n_heads,
                           map % call.n_heads);
    }
    if (hypothesis.rewrite.after) {
      numbered = hypothesis.rewrite.after(numbered,
                                          projected(hypothesis.reread));
    }
    places_[key] = std::move(numbered);
  }
  const Numbers& numbered = places_[key];
  Sources sources;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (Index col = 0; col < numbered.cols(); ++col) {
      const Index n = static_cast<Index>(numbered(rows[r], col));
      if (n < 0) continue;
      const Origin origin = {static_cast<Index>(r), col, n / (t_q * d),
                             n / d % t_q, n % d};
      sources.origins.push_back(origin);
      sources.rows_of[origin.map].push_back(origin.i);
    }
  }
  for (auto& [map, its_rows] : sources.rows_of) {
    std::sort(its_rows.begin(), its_rows.end());
    its_rows.erase(std::unique(its_rows.begin(), its_rows.end()),
                   its_rows.end());
  }
  return sources;
}

const BoolMatrix& Predictor::visible(const Hypothesis& hypothesis,
                                     const Call& call, Index b,
                                     const std::vector<Index>& rows,
                                     bool padding) {
  const Visible key = {hypothesis.rewrite.before, hypothesis.steps.visible, b,
                       padding, rows};
  const auto known = visible_.find(key);
  if (known != visible_.end()) return known->second;
  BoolMatrix all;
  if (padding || !mha::is_given(call.padding)) {
    all = hypothesis.steps.visible(call, b);
  } else {
    Call open = call;
    open.padding.resize(0, 0);
    all = hypothesis.steps.visible(open, b);
  }
  if (std::ssize(visible_) * std::ssize(rows) * all.cols() > most_kept) {
    visible_.clear();
  }
  if (every_row(rows, all.rows())) return visible_[key] = std::move(all);
  BoolMatrix some(static_cast<Index>(rows.size()), all.cols());
  for (Index i = 0; i < some.rows(); ++i) {
    some.row(i) = all.row(rows[static_cast<std::size_t>(i)]);
  }
  return visible_[key] = std::move(some);
}

// Some rows of one head's context.
Numbers Predictor::context(const Hypothesis& hypothesis, const Call& call,
                           Index map, const std::vector<Index>& wanted,
                           bool rounded, double& highest) {
  const gallery::Steps& steps = hypothesis.steps;
  const Index b = map / call.n_heads, h = map % call.n_heads;
  const Index kv = steps.kv_head(h, call);
  std::vector<Index> rows = wanted;
  if (hypothesis.across) {
    rows.resize(static_cast<std::size_t>(tokens_of(call)));
    std::iota(rows.begin(), rows.end(), 0);
  }
  // The same attention with these queries only: its masks as a table.
  Call some;
  some.n_heads = some.n_kv_heads = 1;
  some.q = rows_of(head(hypothesis, call, 0, b, h), rows);
  some.k = head(hypothesis, call, 1, b, kv);
  Numbers v = head(hypothesis, call, 2, b, kv);
  some.options.pairs = mha::AttendMask::where_true_attends(
      visible(hypothesis, call, b, rows, false));
  if (mha::is_given(call.options.bias)) {
    some.options.bias = rows_of(call.options.bias, rows);
  }
  if (mha::is_given(call.padding)) some.padding = call.padding.row(b);
  if (rounded && reading_.layer) {
    round(some.q);
    round(some.k);
    round(v);
  }
  Numbers scores = steps.score(some.q, some.k, steps.scale(call), some);
  if (rounded) round(scores);
  const BoolMatrix seen = visible(hypothesis, call, b, rows, true);
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.cols(); ++j) {
      const double size = std::abs(scores(i, j));
      if (seen(i, j) && size > highest) highest = size;
    }
  }
  Numbers weights = steps.weigh(scores, seen, some, 0);
  if (rounded) round(weights);
  Numbers context = steps.mix(weights, v);
  if (rounded) round(context);
  return hypothesis.across ? rows_of(context, wanted) : context;
}

Prediction Predictor::predict(const Hypothesis& hypothesis,
                              const std::vector<Index>& rows, bool rounded) {
  const Index size = reading_.output.size();
  if (size * 3 * std::ssize(calls_) > most_kept) calls_.clear();
  if (size * 3 * std::ssize(projected_) > most_kept) projected_.clear();
  if (size * std::ssize(places_) > most_kept) places_.clear();
  if (size * std::ssize(products_) > most_kept) products_.clear();
  const Call& call = call_for(hypothesis);
  const Sources from = sources(hypothesis, call, rows);
  Prediction prediction;
  std::map<Index, Numbers> contexts;
  for (const auto& [map, its_rows] : from.rows_of) {
    contexts[map] = context(hypothesis, call, map, its_rows, rounded,
                            prediction.highest_score);
  }
  const Call& asked = projected(hypothesis.reread);
  Numbers heads = Numbers::Zero(static_cast<Index>(rows.size()),
                                asked.q.cols());
  for (const Origin& origin : from.origins) {
    const std::vector<Index>& its_rows = from.rows_of.at(origin.map);
    const Index i = std::lower_bound(its_rows.begin(), its_rows.end(),
                                     origin.i) -
                    its_rows.begin();
    heads(origin.row, origin.col) = contexts[origin.map](i, origin.c);
  }
  if (!reading_.layer) {
    prediction.output = std::move(heads);
  } else {
    const Weights& w = weights(hypothesis.reread);
    prediction.output = heads * w.w_o;
    if (w.b_o.size() != 0) prediction.output.rowwise() += w.b_o;
    if (hypothesis.adds_input) {
      prediction.output += rows_of(reading_.x_q, rows);
    }
  }
  if (rounded) round(prediction.output);
  return prediction;
}

}  // namespace diagnose
