#include "predictor.hpp"

#include "two_at_once.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

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

// Numbers of one kind kept for later: 64 MiB.
constexpr Index most_kept = Index{1} << 23;

// A table of bools, and one of scores, that one hypothesis may take.
constexpr Index most_pairs = Index{1} << 27;
constexpr Index most_scores = Index{1} << 24;
// Products in 16 bits are made up of others, and a hundred times slower.
constexpr Index most_half_scores = Index{1} << 17;

// 0 times infinity and 0 times NaN are NaN.
bool all_finite(const Numbers& numbers) {
  return (0 * numbers.array()).sum() == 0;
}

// Scores that are computed together, where no row needs the others: 1 MiB.
constexpr Index scores_at_once = Index{1} << 17;

// An entry of a map takes about as much as so many numbers.
constexpr Index entry = 64;

// Forgets everything when one more, of `size` numbers, would be too much.
template <typename Map>
void make_room(Map& map, Index& kept, Index size) {
  if (kept + size + entry > most_kept) {
    map.clear();
    kept = 0;
  }
  kept += size + entry;
}

bool every_row(const std::vector<Index>& rows, Index count) {
  return static_cast<Index>(rows.size()) == count;
}

}  // namespace

void Predictor::round(Numbers& numbers) const {
  if (reading_.type == NumberType::float32) {
    numbers = numbers.cast<float>().cast<double>().eval();
    return;
  }
  for (double& x : numbers.reshaped()) x = rounded_to(reading_.type, x);
}

Predictor::Predictor(const Reading& reading,
                     std::shared_ptr<Projections> projections)
    : reading_(reading), projections_(std::move(projections)) {
  if (reading.layer && !projections_) {
    projections_ = std::make_shared<Projections>(reading);
  }
}

// Rewrites and splits move numbers, and compute none. So they are done once
// with numbers that say where they come from, whatever the projections.
const Call& Predictor::call_for(const Hypothesis& hypothesis) {
  const Before before = hypothesis.rewrite.before;
  const auto known = calls_.find(before);
  if (known != calls_.end()) return known->second;
  if (before) {
    Call call = before(call_for({}));
    const Index size = call.q.size() + call.k.size() + call.v.size();
    if (size * std::ssize(calls_) > most_kept) {
      for (auto one = calls_.begin(); one != calls_.end();) {
        one = one->first ? calls_.erase(one) : std::next(one);
      }
    }
    return calls_[before] = std::move(call);
  }
  Call call = reading_.call;
  if (reading_.layer) {
    call.q.resize(reading_.x_q.rows(), reading_.weights.w_q.cols());
    call.k.resize(reading_.x_kv.rows(), reading_.weights.w_k.cols());
    call.v.resize(reading_.x_kv.rows(), reading_.weights.w_v.cols());
  }
  double first = 0;
  for (Numbers* one : {&call.q, &call.k, &call.v}) {
    std::iota(one->data(), one->data() + one->size(), first);
    first += static_cast<double>(one->size());
  }
  return calls_[nullptr] = std::move(call);
}

Predictor::Parts Predictor::parts_of(const Hypothesis& hypothesis) {
  const Call& call = reading_.call;
  if (!reading_.layer) {
    return {{{{0, &call.q, nullptr, nullptr},
              {call.q.size(), &call.k, nullptr, nullptr},
              {call.q.size() + call.k.size(), &call.v, nullptr, nullptr}}},
            nullptr};
  }
  const auto kept = projection(hypothesis);
  const Projection& all = *kept;
  const auto part = [](Index first, Product& product,
                       const mha::RowVector<double>& bias) -> Part {
    return {first, &product.numbers(), bias.size() == 0 ? nullptr : &bias,
            &product};
  };
  const Index q = all.q->numbers().size(), k = all.k->numbers().size();
  return {{{part(0, *all.q, all.b_q), part(q, *all.k, all.b_k),
            part(q + k, *all.v, all.b_v)}},
          kept};
}

Predictor::Places Predictor::places_of(const Numbers& numbers) {
  Places places;
  places.cols = numbers.cols();
  places.first.resize(static_cast<std::size_t>(numbers.rows()));
  if (places.cols > 1 && numbers.rows() > 0) {
    places.step = static_cast<Index>(numbers(0, 1) - numbers(0, 0));
  }
  bool regular = places.step > 0;
  for (Index i = 0; i < numbers.rows(); ++i) {
    places.first[static_cast<std::size_t>(i)] =
        static_cast<Index>(numbers(i, 0));
    for (Index j = 1; regular && j < numbers.cols(); ++j) {
      regular = static_cast<Index>(numbers(i, j) - numbers(i, j - 1)) ==
                places.step;
    }
  }
  if (!regular) places.numbers = numbers;
  return places;
}

Predictor::Places Predictor::rows_of_places(const Places& all,
                                            const std::vector<Index>& rows) {
  Places some;
  some.cols = all.cols;
  some.step = all.step;
  for (const Index row : rows) {
    some.first.push_back(all.first[static_cast<std::size_t>(row)]);
  }
  if (!all.regular()) some.numbers = rows_of(all.numbers, rows);
  return some;
}

// Which numbers head h of item b of the queries (0), keys (1) or values (2)
// has.
std::shared_ptr<const Predictor::Places> Predictor::places_in(
    const Hypothesis& hypothesis, const Call& call, int which, Index b,
    Index h) {
  const Split key = {hypothesis.rewrite.before, hypothesis.steps.take, which,
                     b, h};
  const auto known = splits_.find(key);
  if (known != splits_.end()) return known->second;
  const Numbers& all = which == 0 ? call.q : which == 1 ? call.k : call.v;
  auto places = std::make_shared<Places>(places_of(hypothesis.steps.take(
      {all, which == 0 ? call.batch : call.kv_batch,
       which == 0 ? call.n_heads : call.n_kv_heads},
      b, h)));
  make_room(splits_, splits_kept_, places->size());
  return splits_[key] = std::move(places);
}

namespace {

// A row of queries, keys or values, whose first number is `first`.
struct Row {
  Index first = 0, end = 0, index = 0;
  std::size_t part = 0;
};

template <typename Parts>
Row row_of(const Parts& parts, Index n) {
  Row row;
  row.part = n < parts.of[1].first ? 0 : n < parts.of[2].first ? 1 : 2;
  const auto& part = parts.of[row.part];
  row.index = (n - part.first) / part.numbers->cols();
  row.first = part.first + row.index * part.numbers->cols();
  row.end = row.first + part.numbers->cols();
  return row;
}

}  // namespace

// Computes what is read, as far as it is missing.
void Predictor::make_products(const Parts& parts, const Places& places) {
  std::array<std::vector<bool>, 3> needed;
  for (std::size_t p = 0; p < 3; ++p) {
    const Product& product = *parts.of[p].product;
    needed[p].resize(static_cast<std::size_t>(product.tiles_down() *
                                              product.tiles_across()));
  }
  Row row;
  for (Index i = 0; i < places.rows(); ++i) {
    for (Index j = 0; j < places.cols; ++j) {
      const Index n = places.at(i, j);
      if (n < row.first || n >= row.end) row = row_of(parts, n);
      const Index tile = row.index / Product::tile_rows *
                             parts.of[row.part].product->tiles_across() +
                         (n - row.first) / Product::tile_cols;
      needed[row.part][static_cast<std::size_t>(tile)] = true;
    }
  }
  for (std::size_t p = 0; p < 3; ++p) {
    multiplications_ += parts.of[p].product->make(needed[p]);
  }
}

Numbers Predictor::read_at(const Parts& parts, const Places& places) {
  if (!std::all_of(parts.of.begin(), parts.of.end(), [](const Part& part) {
        return !part.product || part.product->complete();
      })) {
    make_products(parts, places);
  }
  Numbers read(places.rows(), places.cols);
  const Index step = places.step;
  Row row;
  for (Index i = 0; i < read.rows(); ++i) {
    for (Index j = 0; j < read.cols();) {
      const Index n = places.at(i, j);
      if (n < row.first || n >= row.end) row = row_of(parts, n);
      const Part& part = parts.of[row.part];
      const Index c = n - row.first;
      // As many as lie in this row.
      const Index count =
          places.regular()
              ? std::min(read.cols() - j, (row.end - 1 - n) / step + 1)
              : 1;
      const double* numbers = &(*part.numbers)(row.index, c);
      const double* bias = part.bias ? part.bias->data() + c : nullptr;
      double* to = &read(i, j);
      for (Index m = 0; m < count; ++m) {
        to[m] = numbers[m * step] + (bias ? bias[m * step] : 0);
      }
      j += count;
    }
  }
  return read;
}

Predictor::SharedHead Predictor::head(const Hypothesis& hypothesis,
                                      const Call& call, int which, Index b,
                                      Index h) {
  const std::pair key = {hypothesis.reread,
                         Split{hypothesis.rewrite.before,
                               hypothesis.steps.take, which, b, h}};
  const auto known = heads_.find(key);
  if (known != heads_.end()) return known->second;
  auto head = std::make_shared<Head>();
  head->numbers = read_at(parts_of(hypothesis),
                          *places_in(hypothesis, call, which, b, h));
  head->finite = all_finite(head->numbers);
  make_room(heads_, heads_kept_, head->numbers.size());
  return heads_[key] = std::move(head);
}

// Sends numbers through the merge instead of contexts, to see where each goes.
Predictor::Sources Predictor::sources(const Hypothesis& hypothesis,
                                      const Call& call, const Probe& probe) {
  const Place key = {hypothesis.rewrite.after, hypothesis.steps.put,
                     call.batch, call.n_heads, call.q.rows(), call.q.cols()};
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
      numbered = hypothesis.rewrite.after(numbered, call_for({}));
    }
    if (numbered.size() * std::ssize(places_) > most_kept) places_.clear();
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
      Columns& its = sources.columns_of.try_emplace(
          origin.map, Columns{origin.c, 1}).first->second;
      const Index end = std::max(its.first + its.count, origin.c + 1);
      its.first = std::min(its.first, origin.c);
      its.count = end - its.first;
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

// Nothing, where nothing is hidden. Every row is kept: which rows are asked for
// changes with the layout.
std::shared_ptr<const BoolMatrix> Predictor::visible(
    const Hypothesis& hypothesis, const Call& call, Index b,
    const std::vector<Index>& rows, bool padding) {
  if (hypothesis.steps.visible == gallery::visible_to && hides_nothing(call)) {
    return nullptr;
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
    if (std::ssize(visible_) * size > 8 * most_kept) visible_.clear();
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
                                       const std::vector<Index>& wanted,
                                       Columns columns) {
  Inputs inputs;
  inputs.columns = columns;
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
  const auto places = places_in(hypothesis, call, 0, inputs.b, h);
  inputs.q =
      read_at(parts_of(hypothesis), rows_of_places(*places, inputs.rows));
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
  SharedHead k = inputs.k, v = inputs.v;
  if (rounded && reading_.layer) {
    const auto rounded_copy = [&](const Head& all) {
      auto copy = std::make_shared<Head>(all);
      round(copy->numbers);
      copy->finite = all_finite(copy->numbers);
      return copy;
    };
    k = rounded_copy(*k);
    v = rounded_copy(*v);
  }
  const Index rows = inputs.q.rows();
  if (hypothesis.across) {
    Context all = context_of(hypothesis, call, inputs, {0, rows}, *k, *v,
                             rounded);
    all.numbers = rows_of(all.numbers, inputs.wanted);
    return all;
  }
  Context all;
  all.numbers.resize(rows, inputs.columns.count);
  const Index at_once = std::max<Index>(
      1, scores_at_once / std::max<Index>(1, k->numbers.rows()));
  for (Index first = 0; first < rows; first += at_once) {
    const Index count = std::min(at_once, rows - first);
    const Context some = context_of(hypothesis, call, inputs, {first, count},
                                    *k, *v, rounded);
    all.numbers.middleRows(first, count) = some.numbers;
    all.highest = std::max(all.highest, some.highest);
  }
  return all;
}

// A few rows of those, whose scores stay in the cache.
Predictor::Context Predictor::context_of(const Hypothesis& hypothesis,
                                         const Call& call,
                                         const Inputs& inputs, Rows rows,
                                         const Head& k, const Head& v,
                                         bool rounded) const {
  const gallery::Steps& steps = hypothesis.steps;
  // The same attention with these queries only: its masks as a table.
  Call some;
  some.q = inputs.q.middleRows(rows.first, rows.count);
  some.k.resize(k.numbers.rows(), 0);  // its numbers are in `k`
  const auto table = [&](const std::shared_ptr<const BoolMatrix>& all) {
    return all ? BoolMatrix(all->middleRows(rows.first, rows.count))
               : BoolMatrix::Constant(rows.count, k.numbers.rows(), true);
  };
  some.options.pairs =
      mha::AttendMask::where_true_attends(table(inputs.open));
  const BoolMatrix seen = table(inputs.seen);
  if (mha::is_given(call.options.bias)) {
    some.options.bias.resize(rows.count, call.options.bias.cols());
    for (Index i = 0; i < rows.count; ++i) {
      some.options.bias.row(i) = call.options.bias.row(
          inputs.rows[static_cast<std::size_t>(rows.first + i)]);
    }
  }
  if (mha::is_given(call.padding)) some.padding = call.padding.row(inputs.b);
  if (rounded && reading_.layer) round(some.q);
  Numbers scores = steps.score(some.q, k.numbers, steps.scale(call), some);
  if (rounded && mha::is_given(some.options.bias) &&
      some.options.bias.allFinite() && scores.allFinite()) {
    // The products are rounded before the bias is added, and their sum again.
    Call unbiased = some;
    unbiased.options.bias.resize(0, 0);
    Numbers products =
        steps.score(some.q, k.numbers, steps.scale(call), unbiased);
    const Numbers bias = scores - products;
    round(products);
    scores = products + bias;
  }
  if (rounded) round(scores);
  Context result;
  if (scores.size() != 0) {
    const auto size = scores.array().abs();
    result.highest = (seen && size < 1e300).select(size, 0).maxCoeff();
  }
  Numbers weights = steps.weigh(scores, seen, some, 0);
  if (rounded) round(weights);
  const auto values =
      v.numbers.middleCols(inputs.columns.first, inputs.columns.count);
  if (steps.mix == gallery::mix_values && v.finite && all_finite(weights)) {
    // A weight of 0 may be multiplied: there is nothing infinite.
    result.numbers.noalias() = weights * values;
  } else {
    result.numbers = steps.mix(weights, values);
  }
  if (rounded) round(result.numbers);
  return result;
}

Prediction Predictor::heads(const Hypothesis& hypothesis, const Probe& probe,
                            bool rounded) {
  const Call& call = call_for(hypothesis);
  const Sources from = sources(hypothesis, call, probe);
  std::vector<Inputs> inputs;
  std::map<Index, std::size_t> place;
  for (const auto& [map, its_rows] : from.rows_of) {
    place[map] = inputs.size();
    inputs.push_back(inputs_of(hypothesis, call, map, its_rows,
                               from.columns_of.at(map)));
    const Inputs& one = inputs.back();
    multiplications_ += static_cast<double>(one.q.rows()) *
                        static_cast<double>(one.k->numbers.rows()) *
                        static_cast<double>(one.q.cols() + one.columns.count);
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
    two_at_once([&] { some_of_them(0, 2); }, [&] { some_of_them(1, 2); });
  }

  Prediction prediction;
  const Index width = probe.columns.empty() ? call_for({}).q.cols()
                                            : std::ssize(probe.columns);
  prediction.output = Numbers::Zero(std::ssize(probe.rows), width);
  for (const Context& one : contexts) {
    prediction.highest_score = std::max(prediction.highest_score, one.highest);
  }
  for (const Origin& origin : from.origins) {
    const std::vector<Index>& its_rows = from.rows_of.at(origin.map);
    const Index i = std::lower_bound(its_rows.begin(), its_rows.end(),
                                     origin.i) -
                    its_rows.begin();
    prediction.output(origin.row, origin.col) =
        contexts[place[origin.map]].numbers(
            i, origin.c - from.columns_of.at(origin.map).first);
  }
  return prediction;
}

Prediction Predictor::predict(const Hypothesis& hypothesis, const Probe& probe,
                              bool rounded) {
  Prediction prediction = heads(hypothesis, probe, rounded);
  if (reading_.layer) {
    const auto w = projection(hypothesis);
    multiplications_ += static_cast<double>(probe.rows.size()) *
                        static_cast<double>(w->w_o->size());
    prediction.output = (prediction.output * *w->w_o).eval();
    if (w->b_o.size() != 0) prediction.output.rowwise() += w->b_o;
    if (hypothesis.adds_input) {
      prediction.output += rows_of(reading_.x_q, probe.rows);
    }
  }
  if (rounded) round(prediction.output);
  return prediction;
}

}  // namespace diagnose
