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

// A table of bools, and one of scores, that one hypothesis may take.
constexpr Index most_pairs = Index{1} << 27;
constexpr Index most_scores = Index{1} << 24;
// Products in 16 bits are made up of others, and a hundred times slower.
constexpr Index most_half_scores = Index{1} << 17;

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
Predictor::Shared Predictor::head(const Hypothesis& hypothesis,
                                  const Call& call, int which, Index b,
                                  Index h) {
  const Head key = {hypothesis.reread, hypothesis.rewrite.before,
                    hypothesis.steps.take, which, b, h};
  const auto known = heads_.find(key);
  if (known != heads_.end()) return known->second;
  const Numbers& all = which == 0 ? call.q : which == 1 ? call.k : call.v;
  const Index size = tokens_of(call) * d_head_of(call);
  if (size * std::ssize(heads_) > most_kept) heads_.clear();
  return heads_[key] = std::make_shared<Numbers>(hypothesis.steps.take(
             {all, which == 0 ? call.batch : call.kv_batch,
              which == 0 ? call.n_heads : call.n_kv_heads},
             b, h));
}

// Sends numbers through the merge instead of contexts, to see where each goes.
Predictor::Sources Predictor::sources(const Hypothesis& hypothesis,
                                      const Call& call, const Probe& probe) {
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
  std::vector<Index> columns = probe.columns;
  if (columns.empty()) {
    columns.resize(static_cast<std::size_t>(numbered.cols()));
    std::iota(columns.begin(), columns.end(), 0);
  }
  Sources sources;
  for (std::size_t r = 0; r < probe.rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Index n =
          static_cast<Index>(numbered(probe.rows[r], columns[c]));
      if (n < 0) continue;
      const Origin origin = {static_cast<Index>(r), static_cast<Index>(c),
                             n / (t_q * d), n / d % t_q, n % d};
      sources.origins.push_back(origin);
      std::vector<Index>& its_rows = sources.rows_of[origin.map];
      if (its_rows.empty() || its_rows.back() != origin.i) {
        its_rows.push_back(origin.i);
      }
    }
  }
  for (auto& [map, its_rows] : sources.rows_of) {
    std::sort(its_rows.begin(), its_rows.end());
    its_rows.erase(std::unique(its_rows.begin(), its_rows.end()),
                   its_rows.end());
  }
  return sources;
}

namespace {
// As long as nothing hides anything, a table need not be made.
bool hides_nothing(const Call& call) {
  const mha::AttentionOptions& options = call.options;
  return options.causal == mha::Causal::none &&
         !mha::is_given(options.pairs.attends()) &&
         !mha::is_given(options.bias) && !mha::is_given(call.padding);
}
}  // namespace

// Every row is kept: which rows are asked for changes with the layout.
std::shared_ptr<const BoolMatrix> Predictor::visible(
    const Hypothesis& hypothesis, const Call& call, Index b,
    const std::vector<Index>& rows, bool padding) {
  if (hypothesis.steps.visible == gallery::visible_to && hides_nothing(call)) {
    return std::make_shared<BoolMatrix>(
        BoolMatrix::Constant(std::ssize(rows), keys_of(call), true));
  }
  if (tokens_of(call) > most_pairs / keys_of(call)) throw TooLarge();
  padding = padding || !mha::is_given(call.padding);
  const Visible key = {hypothesis.rewrite.before, hypothesis.steps.visible, b,
                       padding};
  if (visible_.find(key) == visible_.end()) {
    Call masks;  // without the numbers, which a step may copy
    masks.options = call.options;
    masks.n_heads = call.n_heads;
    masks.n_kv_heads = call.n_kv_heads;
    masks.batch = call.batch;
    masks.kv_batch = call.kv_batch;
    masks.need_weights = call.need_weights;
    masks.q.resize(call.q.rows(), 0);
    masks.k.resize(call.k.rows(), 0);
    if (padding) masks.padding = call.padding;
    const Index size = tokens_of(call) * keys_of(call);
    if (std::ssize(visible_) * size > 4 * most_kept) visible_.clear();
    visible_[key] =
        std::make_shared<BoolMatrix>(hypothesis.steps.visible(masks, b));
  }
  const auto all = visible_[key];
  if (every_row(rows, all->rows())) return all;
  auto some = std::make_shared<BoolMatrix>(std::ssize(rows), all->cols());
  for (Index i = 0; i < some->rows(); ++i) {
    some->row(i) = all->row(rows[static_cast<std::size_t>(i)]);
  }
  return some;
}

Predictor::Inputs Predictor::inputs_of(const Hypothesis& hypothesis,
                                       const Call& call, Index map,
                                       const std::vector<Index>& wanted) {
  Inputs inputs;
  inputs.b = map / call.n_heads;
  const Index h = map % call.n_heads;
  const Index kv = hypothesis.steps.kv_head(h, call);
  inputs.wanted = inputs.rows = wanted;
  if (hypothesis.across) {
    const Index most = hypothesis.coarse ? most_half_scores : most_scores;
    if (tokens_of(call) > most / keys_of(call)) throw TooLarge();
    inputs.rows.resize(static_cast<std::size_t>(tokens_of(call)));
    std::iota(inputs.rows.begin(), inputs.rows.end(), 0);
  }
  inputs.q = head(hypothesis, call, 0, inputs.b, h);
  inputs.k = head(hypothesis, call, 1, inputs.b, kv);
  inputs.v = head(hypothesis, call, 2, inputs.b, kv);
  inputs.seen = visible(hypothesis, call, inputs.b, inputs.rows, true);
  inputs.open = visible(hypothesis, call, inputs.b, inputs.rows, false);
  return inputs;
}

// Some rows of one head's context. Changes nothing that threads share.
Predictor::Context Predictor::context(const Hypothesis& hypothesis,
                                      const Call& call, const Inputs& inputs,
                                      bool rounded) const {
  const gallery::Steps& steps = hypothesis.steps;
  // The same attention with these queries only: its masks as a table.
  Call some;
  some.q = rows_of(*inputs.q, inputs.rows);
  some.k.resize(inputs.k->rows(), 0);  // its numbers are in `k` below
  some.options.pairs = mha::AttendMask::where_true_attends(*inputs.open);
  if (mha::is_given(call.options.bias)) {
    some.options.bias = rows_of(call.options.bias, inputs.rows);
  }
  if (mha::is_given(call.padding)) some.padding = call.padding.row(inputs.b);
  Shared k = inputs.k, v = inputs.v;
  if (rounded && reading_.layer) {
    const auto rounded_copy = [&](const Numbers& all) {
      auto copy = std::make_shared<Numbers>(all);
      round(*copy);
      return copy;
    };
    round(some.q);
    k = rounded_copy(*k);
    v = rounded_copy(*v);
  }
  Numbers scores = steps.score(some.q, *k, steps.scale(call), some);
  if (rounded && some.options.bias.allFinite() && scores.allFinite()) {
    // The products are rounded before the bias is added, and their sum again.
    Call unbiased = some;
    unbiased.options.bias.resize(0, 0);
    Numbers products = steps.score(some.q, *k, steps.scale(call), unbiased);
    const Numbers bias = scores - products;
    round(products);
    scores = products + bias;
  }
  if (rounded) round(scores);
  Context result;
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.cols(); ++j) {
      const double size = std::abs(scores(i, j));
      if ((*inputs.seen)(i, j) && size < 1e300) {
        result.highest = std::max(result.highest, size);
      }
    }
  }
  Numbers weights = steps.weigh(scores, *inputs.seen, some, 0);
  if (rounded) round(weights);
  result.numbers = steps.mix(weights, *v);
  if (rounded) round(result.numbers);
  if (hypothesis.across) {
    result.numbers = rows_of(result.numbers, inputs.wanted);
  }
  return result;
}

Prediction Predictor::predict(const Hypothesis& hypothesis, const Probe& probe,
                              bool rounded) {
  const Index size = reading_.output.size();
  if (size * 3 * std::ssize(calls_) > most_kept) calls_.clear();
  if (size * 3 * std::ssize(projected_) > most_kept) projected_.clear();
  if (size * std::ssize(places_) > most_kept) places_.clear();
  if (size * std::ssize(products_) > most_kept) products_.clear();
  const Call& call = call_for(hypothesis);
  const Sources from = sources(hypothesis, call, probe);
  std::vector<Inputs> inputs;
  std::map<Index, std::size_t> place;
  for (const auto& [map, its_rows] : from.rows_of) {
    place[map] = inputs.size();
    inputs.push_back(inputs_of(hypothesis, call, map, its_rows));
  }
  std::vector<Context> contexts(inputs.size());
  const auto some_of_them = [&](std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < inputs.size(); i += step) {
      contexts[i] = context(hypothesis, call, inputs[i], rounded);
    }
  };
  if (inputs.empty() || std::ssize(inputs[0].rows) * std::ssize(inputs) < 64) {
    some_of_them(0, 1);
  } else {
    std::thread other(some_of_them, 1, 2);
    some_of_them(0, 2);
    other.join();
  }

  Prediction prediction;
  const Index width =
      probe.columns.empty() ? projected(hypothesis.reread).q.cols()
                            : std::ssize(probe.columns);
  Numbers heads = Numbers::Zero(std::ssize(probe.rows), width);
  for (const Context& one : contexts) {
    prediction.highest_score = std::max(prediction.highest_score, one.highest);
  }
  for (const Origin& origin : from.origins) {
    const std::vector<Index>& its_rows = from.rows_of.at(origin.map);
    const Index i = std::lower_bound(its_rows.begin(), its_rows.end(),
                                     origin.i) -
                    its_rows.begin();
    heads(origin.row, origin.col) =
        contexts[place[origin.map]].numbers(i, origin.c);
  }
  if (!reading_.layer) {
    prediction.output = std::move(heads);
  } else {
    const Weights& w = weights(hypothesis.reread);
    prediction.output = heads * w.w_o;
    if (w.b_o.size() != 0) prediction.output.rowwise() += w.b_o;
    if (hypothesis.adds_input) {
      prediction.output += rows_of(reading_.x_q, probe.rows);
    }
  }
  if (rounded) round(prediction.output);
  return prediction;
}

}  // namespace diagnose
