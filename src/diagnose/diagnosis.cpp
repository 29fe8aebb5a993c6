#include "diagnosis.hpp"

#include "two_at_once.hpp"

#include "mha/generator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace diagnose {
namespace {

Numbers look_at(const Numbers& all, const Probe& probe) {
  const Index cols =
      probe.columns.empty() ? all.cols() : std::ssize(probe.columns);
  Numbers some(std::ssize(probe.rows), cols);
  for (Index i = 0; i < some.rows(); ++i) {
    const Index row = probe.rows[static_cast<std::size_t>(i)];
    for (Index c = 0; c < cols; ++c) {
      some(i, c) = all(row, probe.columns.empty()
                                ? c
                                : probe.columns[static_cast<std::size_t>(c)]);
    }
  }
  return some;
}

double unit_of(NumberType type) {
  return type == NumberType::float64 ? 0x1p-53 : 0x1p-24;
}

// More than this share is not the rounding of 16-bit scores, but their
// overflow.
constexpr double coarsest_share = 0.01;

// More than this, no rounding of that type explains.
double hopeless(NumberType type, const Hypothesis& hypothesis) {
  if (hypothesis.coarse && type != NumberType::bfloat16) return 0.05;
  switch (type) {
    case NumberType::float64: return 1e-6;
    case NumberType::float16: return 0.05;
    case NumberType::bfloat16: return 0.2;
    default: return 1e-2;
  }
}

// What is farther off than this share is not near.
constexpr double farthest = 0.7;

// The spacing of the file's numbers, as a share of one.
double spacing(NumberType type) {
  switch (type) {
    case NumberType::float64: return 0x1p-52;
    case NumberType::float16: return 0x1p-10;
    case NumberType::bfloat16: return 0x1p-7;
    default: return 0x1p-23;
  }
}

// Rounding leaves single differences of about so many times their root mean
// square, at most.
constexpr double largest_single = 10;

double largest_of(double allowed, const Numbers& predicted) {
  const double square =
      predicted.array().isFinite().select(predicted.array().square(), 0)
          .mean();
  return largest_single * std::max(allowed * std::sqrt(square), 1e-300);
}

// A hypothesis beside some of the output, and what it predicted.
struct Comparison {
  Fit fit;
  Prediction exact;
  Numbers rounded;  // the same with every step rounded, where it was needed
};

// What rounding can explain, as a share of the output's size.
double allowed_error(Predictor& predictor, const Reading& reading,
                     const Hypothesis& hypothesis, const Probe& probe,
                     const Prediction& exact, Numbers& rounded) {
  // Sums of n terms, and scores whose rounding grows with them.
  const double terms = std::sqrt(static_cast<double>(
      reading.t_k + reading.call.q.cols() + reading.x_q.cols()));
  double allowed = unit_of(reading.type) * (8 + 2 * terms) *
                   (1 + exact.highest_score);
  if (hypothesis.coarse) {
    // Its 16 bits round in another order elsewhere, and as far off as here.
    Hypothesis smooth = hypothesis;
    smooth.steps.score = gallery::score_pairs;
    const double moved = relative_error(
        predictor.predict(smooth, probe).output, exact.output);
    allowed += std::min(1.5 * moved, coarsest_share);
  }
  if (reading.type == NumberType::float64) return allowed;
  rounded = predictor.predict(hypothesis, probe, true).output;
  const double noise = relative_error(rounded, exact.output);
  return allowed + rounding_factor * (std::isfinite(noise) ? noise : 0);
}

Comparison compare_all(Predictor& predictor, const Reading& reading,
                       const Hypothesis& hypothesis, const Probe& probe) {
  Comparison all;
  all.fit.hypothesis = hypothesis;
  all.fit.reading = reading.description;
  all.exact = predictor.predict(hypothesis, probe);
  all.fit.error =
      relative_error(all.exact.output, look_at(reading.output, probe));
  if (all.fit.error <= hopeless(reading.type, hypothesis)) {
    all.fit.allowed = allowed_error(predictor, reading, hypothesis, probe,
                                    all.exact, all.rounded);
  }
  return all;
}

std::vector<Index> random_rows(Index count, Index of, std::uint32_t seed) {
  std::vector<Index> rows;
  if (of <= count) {
    rows.resize(static_cast<std::size_t>(of));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  mha::TorchGenerator generator(seed);
  while (static_cast<Index>(rows.size()) < count) {
    const Index row = generator.integer(of);
    if (std::count(rows.begin(), rows.end(), row) == 0) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// All of a small output, and of a large one as many as are soon computed.
Index rows_to_confirm(const Reading& reading, bool across) {
  const Index cost =
      std::max<Index>(1, reading.t_k * reading.output.cols());
  const Index rows = std::min<Index>(256, (Index{1} << 20) / cost);
  return std::max<Index>(across ? 8 : 16, rows);
}

// Whole score maps take a second or more.
bool maps_are_large(const Reading& reading) {
  return reading.call.n_heads * reading.call.batch * reading.t_q >
         (Index{1} << 22) / std::max<Index>(1, reading.t_k);
}

bool matters(const Variation& variation, const Traits& traits) {
  return !variation.matters || variation.matters(traits);
}

// Root mean square of what is finite in the rows that are not all zeros.
double usual_size(const Numbers& output) {
  double sum = 0;
  Index count = 0;
  for (Index i = 0; i < output.rows(); ++i) {
    if (output.row(i).isZero(0)) continue;
    for (const double x : output.row(i)) {
      if (!std::isfinite(x)) continue;
      sum += x * x;
      count += 1;
    }
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

// Root mean square of what rounding every step to 16 bits moves each row by:
// it varies much among rows when scores are large. Zeros for wider types.
std::vector<double> noise_of_rows(Predictor& predictor, const Reading& reading,
                                  const Hypothesis& hypothesis,
                                  const Probe& probe, Comparison& all) {
  std::vector<double> noise(probe.rows.size(), 0);
  if (reading.type != NumberType::float16 &&
      reading.type != NumberType::bfloat16) {
    return noise;
  }
  const Numbers& exact = all.exact.output;
  if (all.rounded.size() == 0) {
    all.rounded = predictor.predict(hypothesis, probe, true).output;
  }
  for (Index i = 0; i < exact.rows(); ++i) {
    const double moved = std::sqrt((all.rounded - exact).row(i).squaredNorm() /
                                   static_cast<double>(exact.cols()));
    if (std::isfinite(moved)) noise[static_cast<std::size_t>(i)] = moved;
  }
  return noise;
}

// The pairs that may matter. Those for which the same calls, projections and
// heads are made come one after another: large ones are not kept for long.
std::vector<Hypothesis> pairs_in_turn(const Traits& traits) {
  using Order = std::tuple<std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t>;
  const std::vector<Variation>& all = variations();
  std::vector<std::pair<Order, Hypothesis>> pairs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!matters(all[i], traits)) continue;
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!matters(all[j], traits)) continue;
      auto both = combine({&all[i], &all[j]});
      if (!both) continue;
      Order order = {-1, -1, -1};
      for (const Variation* part : both->parts) {
        const std::ptrdiff_t place = part - all.data();
        if (part->rewrite.before) std::get<0>(order) = place;
        if (part->reread) std::get<1>(order) = place;
        if (part->steps.take != gallery::Steps().take) {
          std::get<2>(order) = place;
        }
      }
      pairs.emplace_back(order, *std::move(both));
    }
  }
  std::stable_sort(
      pairs.begin(), pairs.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Hypothesis> in_turn;
  for (auto& [order, pair] : pairs) in_turn.push_back(std::move(pair));
  return in_turn;
}

// Numbers of the output that are looked at together: what an error over all of
// them would be, if rounding spreads evenly.
double share_of(const OwnDirections& own) {
  return std::sqrt(static_cast<double>(own.of_output.cols()) /
                   static_cast<double>(own.of_output.rows()));
}

// A reading, and what is looked at of it.
struct Open {
  std::size_t plan = 0;
  Reading reading;
  std::shared_ptr<Projections> projections;  // a layer only
  std::unique_ptr<Predictor> predictor;
  // What is far off at a glance is not looked at again, and what is far off in
  // a part of the glance is not even looked at in the rest of it.
  Probe part, glance, few;
};

bool less_off(const Fit& a, const Fit& b) { return a.error < b.error; }

// What became of hypotheses.
class Tally {
 public:
  void keep_fit(const Fit& fit) { fits.push_back(fit); }
  void keep_nearest(const Fit& fit);
  void keep_refuted(const Fit& fit);
  bool may_be_nearest(double error) const;
  bool may_be_refuted_nearest(double error) const;
  void add(const Tally& later);

  std::vector<Fit> fits, nearest;
  std::vector<Fit> refuted;  // by a few columns, with their error there
  Index tried = 0, left_out = 0;
  double multiplications = 0;  // for readings that are closed
};

constexpr std::size_t most_nearest = 3, most_refuted = 24;

bool has_room(const std::vector<Fit>& list, std::size_t most, double error) {
  return std::isfinite(error) &&
         (list.size() < most || error < list.back().error);
}

bool Tally::may_be_nearest(double error) const {
  return has_room(nearest, most_nearest, error);
}

bool Tally::may_be_refuted_nearest(double error) const {
  return has_room(refuted, most_refuted, error);
}

void keep_among(std::vector<Fit>& list, std::size_t most, const Fit& fit) {
  if (!has_room(list, most, fit.error)) return;
  list.insert(std::upper_bound(list.begin(), list.end(), fit, less_off), fit);
  if (list.size() > most) list.pop_back();
}

void Tally::keep_nearest(const Fit& fit) {
  if (!fit.fits()) keep_among(nearest, most_nearest, fit);
}

void Tally::keep_refuted(const Fit& fit) {
  keep_among(refuted, most_refuted, fit);
}

// As if what it counts had been looked at after this.
void Tally::add(const Tally& later) {
  fits.insert(fits.end(), later.fits.begin(), later.fits.end());
  for (const Fit& fit : later.nearest) keep_nearest(fit);
  for (const Fit& fit : later.refuted) keep_refuted(fit);
  tried += later.tried;
  left_out += later.left_out;
  multiplications += later.multiplications;
}

// Readings are made when they are needed, and each thread keeps one: they hold
// copies of the tensors.
class Search {
 public:
  Search(const Roles& roles, const std::function<void(Index)>& progress)
      : roles_(roles), progress_(progress), plans_(plans(roles)) {}

  Diagnosis run();

 private:
  struct Worker {
    std::unique_ptr<Open> open = {};
    Tally tally = {};
  };
  Open& open(Worker& by, std::size_t plan);
  Open& open(std::size_t plan) { return open(main_, plan); }
  void close(Worker& by);
  std::shared_ptr<Projections> projections_of(const Reading& reading);
  Fit look(Worker& by, std::size_t plan, const Hypothesis& hypothesis);
  void count_one(Tally& tally);
  void look_at_right(Diagnosis& diagnosis);
  void look_at_wrong(Diagnosis& diagnosis);
  void look_at_singles(std::size_t plan);
  std::vector<Tally> look_at_pairs(const std::vector<bool>& chosen,
                                   bool across);
  void look_at_all_pairs();
  void look_at_pairs_of(Worker& by, std::size_t plan, bool across);
  void confirm(Diagnosis& diagnosis);
  void look_for_parts(Diagnosis& diagnosis);
  void look_again_at_refuted();
  Differences locate(const Fit& fit, bool& all_agree);

  const Roles& roles_;
  const std::function<void(Index)>& progress_;
  std::vector<ReadingPlan> plans_;
  // Of each plan: whether its score maps are large, and pairs that have some.
  struct Maps {
    bool large = false;
    Index pairs = 0;
  };
  std::vector<Maps> maps_;
  Worker main_;
  // Once a pair fits the answer is no longer unknown, so nobody will ask what
  // is nearest.
  bool looks_at_pairs_ = false;
  std::atomic<bool> settled_ = false;
  std::mutex sharing_;  // what follows
  std::vector<std::shared_ptr<Projections>> projections_;
  Index told_of_ = 0;  // hypotheses
  Fit first_right_;    // read in the likeliest way
};

std::shared_ptr<Projections> Search::projections_of(const Reading& reading) {
  if (!reading.layer) return {};
  const std::lock_guard<std::mutex> lock(sharing_);
  for (const std::shared_ptr<Projections>& one : projections_) {
    if (one->are_of(reading)) return one;
  }
  projections_.push_back(std::make_shared<Projections>(reading));
  return projections_.back();
}

void Search::close(Worker& by) {
  if (by.open) {
    by.tally.multiplications += by.open->predictor->multiplications();
  }
  by.open = nullptr;
}

Open& Search::open(Worker& by, std::size_t plan) {
  if (by.open && by.open->plan == plan) return *by.open;
  if (by.open && by.open->projections &&
      plans_[by.open->plan].n_heads != plans_[plan].n_heads) {
    by.open->projections->forget(plans_[by.open->plan].n_heads);
  }
  close(by);  // before there is another
  auto at = std::make_unique<Open>();
  at->plan = plan;
  at->reading = read_so(roles_, plans_[plan]);
  at->projections = projections_of(at->reading);
  at->predictor = std::make_unique<Predictor>(at->reading, at->projections);
  at->few.rows = random_rows(3, at->reading.output.rows(), 5);
  // What is far off in one row need not be computed in more: for a layer that
  // is a row of every head. Otherwise a few columns of two heads will do.
  at->glance.rows = {at->few.rows.back(), at->few.rows.front()};
  at->part.rows = {at->glance.rows.front()};
  if (!at->reading.layer && at->reading.output.cols() > 64) {
    const Index d = d_head_of(at->reading.call);
    const Index last = at->reading.call.n_heads - 1;
    for (Index c = 0; c < 4; ++c) {
      at->glance.columns.push_back(last / 3 * d + c % d);
      at->glance.columns.push_back(last * d + d - 1 - c % d);
      at->part.columns.push_back(last / 3 * d + c % d);
    }
  }
  by.open = std::move(at);
  return *by.open;
}

// How far a layer's output is off where a few columns of the heads write alone:
// for that, the other heads need not be computed. Of the rows of a probe, as a
// share of the size of the glance. Nothing when these rows or weights have no
// such place.
std::optional<double> error_of_own(Open& at, const Hypothesis& hypothesis,
                                   const Probe& probe, Index most_columns) {
  if (!at.reading.layer) return {};
  const auto weights = at.predictor->projection(hypothesis);
  const auto own = at.projections->own(weights->w_o, most_columns);
  const Numbers glance = look_at(at.reading.output, {at.glance.rows});
  if (!own || !glance.allFinite()) return {};
  const Numbers seen = glance * own->of_output;
  const double size = std::max(seen.norm(), share_of(*own) * glance.norm());
  Numbers output = look_at(at.reading.output, {probe.rows});
  if (weights->b_o.size() != 0) output.rowwise() -= weights->b_o;
  if (hypothesis.adds_input) output -= look_at(at.reading.x_q, {probe.rows});
  const Numbers predicted =
      at.predictor->heads(hypothesis, {probe.rows, own->columns}).output *
      own->of_columns;
  const double error = (predicted - output * own->of_output).norm();
  if (error == 0) return 0;
  return std::isfinite(error) ? error / size
                              : std::numeric_limits<double>::infinity();
}

// How far some of the glance is off, as a share of the size of all of it.
double error_of_part(Open& at, const Hypothesis& hypothesis) {
  const double distance =
      squared_distance(at.predictor->predict(hypothesis, at.part).output,
                       look_at(at.reading.output, at.part));
  return distance == 0 ? 0
                       : std::sqrt(distance / squared_size(look_at(
                                                  at.reading.output,
                                                  at.glance)));
}

// A hypothesis at a glance.
struct Glance {
  double error = 0;
  bool by_own = false;   // of columns of the heads that write alone
  bool in_part = false;  // at least so far
};

// Columns that write alone: one usual head of a layer. As soon as it is settled
// that something fits, a few go before them: narrow heads have one or two each.
constexpr Index usual_own = 64, few_own = 8;

// Squares add up: what a part of the glance is off, as a share of the size of
// the whole of it, the whole is off at least. So a part refutes nothing that
// the glance would not. Where the error itself may be wanted, since this may be
// one of the nearest of what was looked at before or by this thread, the rest
// of the glance is looked at too.
Glance glance_at(Open& at, const Hypothesis& hypothesis, double far,
                 const Tally& before, const Tally& tally, bool settled) {
  const bool wanted = hypothesis.parts.empty();
  if (settled && d_head_of(at.reading.call) < usual_own) {
    const auto few = error_of_own(at, hypothesis, at.part, few_own);
    if (few && !(*few <= far)) return {*few, true, true};
  }
  if (const auto part =
          wanted ? std::optional<double>()
                 : error_of_own(at, hypothesis, at.part, usual_own)) {
    if (!(*part <= far) && (settled || !before.may_be_refuted_nearest(*part) ||
                            !tally.may_be_refuted_nearest(*part))) {
      return {*part, true, true};
    }
  }
  const auto own = error_of_own(at, hypothesis, at.glance, usual_own);
  if (own && !(*own <= far)) return {*own, true, false};
  if (!wanted) {
    const double part = error_of_part(at, hypothesis);
    if (!(part <= far) && (settled || !before.may_be_nearest(part) ||
                           !tally.may_be_nearest(part))) {
      return {part, false, true};
    }
  }
  return {relative_error(at.predictor->predict(hypothesis, at.glance).output,
                         look_at(at.reading.output, at.glance)),
          false, false};
}

// A fit beside more rows.
Fit look_closer(Open& at, const Hypothesis& hypothesis) {
  return compare(*at.predictor, at.reading, hypothesis,
                 {random_rows(rows_to_confirm(at.reading, hypothesis.across),
                              at.reading.output.rows(), 6)});
}

void Search::count_one(Tally& tally) {
  tally.tried += 1;
  if (!progress_) return;
  const std::lock_guard<std::mutex> lock(sharing_);
  progress_(++told_of_);
}

Fit Search::look(Worker& by, std::size_t plan, const Hypothesis& hypothesis) {
  Open& at = open(by, plan);
  Fit fit;
  fit.hypothesis = hypothesis;
  fit.reading = at.reading.description;
  fit.plan = at.plan;
  const double far = 2 * hopeless(at.reading.type, hypothesis);
  Glance seen;
  try {
    seen = glance_at(at, hypothesis, far, main_.tally, by.tally, settled_);
    fit.error = seen.error;
    if (fit.error <= far) {
      fit = compare(*at.predictor, at.reading, hypothesis, at.few);
      fit.plan = at.plan;
    }
  } catch (const TooLarge&) {
    by.tally.left_out += 1;
    return fit;
  } catch (const std::invalid_argument&) {
    // It would have refused these sizes, and has given no output.
    fit.error = std::numeric_limits<double>::infinity();
  }
  count_one(by.tally);
  if (seen.by_own) {
    if (!seen.in_part) by.tally.keep_refuted(fit);
  } else if (fit.fits()) {
    by.tally.keep_fit(fit);
    if (looks_at_pairs_ && !settled_) {
      settled_ = look_closer(at, hypothesis).fits();
    }
  } else if (!seen.in_part) {
    by.tally.keep_nearest(fit);
  }
  return fit;
}

// Of what was refuted by a few columns, the nearest may be the nearest of all.
void Search::look_again_at_refuted() {
  std::stable_sort(
      main_.tally.refuted.begin(), main_.tally.refuted.end(),
      [](const Fit& a, const Fit& b) { return a.plan < b.plan; });
  for (Fit& fit : main_.tally.refuted) {
    Open& at = open(fit.plan);
    fit.error = relative_error(
        at.predictor->predict(fit.hypothesis, at.glance).output,
        look_at(at.reading.output, at.glance));
    main_.tally.keep_nearest(fit);
  }
}

void Search::look_at_singles(std::size_t plan) {
  const Traits traits = traits_of(open(plan).reading);
  for (const Variation& one : variations()) {
    if (matters(one, traits)) look(main_, plan, *combine({&one}));
  }
}

// The pairs of one reading that have whole score maps, or those that have none.
void Search::look_at_pairs_of(Worker& by, std::size_t plan, bool across) {
  const Reading& reading = open(by, plan).reading;
  const std::vector<Hypothesis> pairs = pairs_in_turn(traits_of(reading));
  maps_[plan] = {maps_are_large(reading),
                 std::count_if(pairs.begin(), pairs.end(),
                               [](const Hypothesis& one) {
                                 return one.across;
                               })};
  for (const Hypothesis& pair : pairs) {
    if (pair.across == across) look(by, plan, pair);
  }
}

// Pairs in some of the readings, on two threads. All readings of one number of
// heads are looked at by one of them, and what is found is put in the order of
// the readings: it does not depend on which thread is the faster.
std::vector<Tally> Search::look_at_pairs(const std::vector<bool>& chosen,
                                         bool across) {
  std::vector<Tally> found(plans_.size());
  const auto every_other = [&](Worker& by, int which) {
    int turn = 0;
    for (std::size_t plan = 0; plan < plans_.size(); ++plan) {
      if (plan > 0 && plans_[plan].n_heads != plans_[plan - 1].n_heads) {
        turn = 1 - turn;
      }
      if (turn != which || !chosen[plan]) continue;
      by.tally = {};
      look_at_pairs_of(by, plan, across);
      found[plan] = std::move(by.tally);
    }
    close(by);
  };
  Worker one, two;
  close(main_);
  two_at_once([&] { every_other(one, 0); }, [&] { every_other(two, 1); });
  main_.tally.multiplications +=
      one.tally.multiplications + two.tally.multiplications;
  return found;
}

// Whole score maps come last: where they are large, they are left out if
// something fits already.
void Search::look_at_all_pairs() {
  std::vector<Fit>& fits = main_.tally.fits;
  maps_.assign(plans_.size(), {});
  looks_at_pairs_ = true;
  for (const Tally& one :
       look_at_pairs(std::vector<bool>(plans_.size(), true), false)) {
    main_.tally.add(one);
  }
  std::optional<bool> settled;
  const auto is_left_out = [&](std::size_t plan) {
    if (fits.empty() || !maps_[plan].large) return false;
    if (!settled) {
      Diagnosis so_far;
      confirm(so_far);
      settled = !so_far.fits.empty();
    }
    return *settled;
  };
  std::vector<bool> chosen;
  for (std::size_t plan = 0; plan < plans_.size(); ++plan) {
    chosen.push_back(!is_left_out(plan));
  }
  const std::vector<Tally> found = look_at_pairs(chosen, true);
  for (std::size_t plan = 0; plan < plans_.size(); ++plan) {
    if (is_left_out(plan)) {
      main_.tally.left_out += maps_[plan].pairs;
    } else {
      main_.tally.add(found[plan]);
    }
  }
  // Named in the order of the list, whatever the order of the search.
  std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) {
    return std::tie(a.plan, a.hypothesis.parts) <
           std::tie(b.plan, b.hypothesis.parts);
  });
}

// Looks at more rows of what fits, and puts the best first.
void Search::confirm(Diagnosis& diagnosis) {
  std::vector<Fit> confirmed;
  for (const Fit& fit : main_.tally.fits) {
    Open& at = open(fit.plan);
    Fit again = look_closer(at, fit.hypothesis);
    again.plan = fit.plan;
    if (again.fits()) {
      confirmed.push_back(again);
    } else {
      main_.tally.keep_nearest(again);
    }
  }
  // Right before wrong, one before two; then the better fit, unless rounding
  // makes the difference.
  std::stable_sort(confirmed.begin(), confirmed.end(),
                   [](const Fit& a, const Fit& b) {
                     const double x = a.error / a.allowed;
                     const double y = b.error / b.allowed;
                     return x < y / 4;
                   });
  diagnosis.fits = std::move(confirmed);
}

Differences Search::locate(const Fit& fit, bool& all_agree) {
  Open& at = open(fit.plan);
  const Reading& reading = at.reading;
  Predictor& predictor = *at.predictor;
  const Index rows = reading.output.rows();
  const Index t_k = reading.t_k;
  Differences where;
  where.batch = reading.call.batch;
  where.tokens = reading.t_q;
  where.heads = reading.layer ? 1 : reading.call.n_heads;
  where.by_row = Numbers::Zero(where.batch, where.tokens);
  where.by_column = Numbers::Zero(1, reading.output.cols());
  const Index width = reading.output.cols();
  where.picture = Numbers::Zero(std::min<Index>(48, rows),
                                std::min<Index>(48, width));
  Numbers looked = Numbers::Zero(where.picture.rows(), where.picture.cols());
  // So many rows at once that their scores take 64 MiB at most.
  const Index widest = std::max<Index>(
      1, (Index{1} << 23) / std::max<Index>(1, t_k));
  const Index budget = std::max<Index>(
      64, (Index{1} << 31) / std::max<Index>(1, t_k * reading.output.cols()));
  where.every_row = rows <= budget && !fit.hypothesis.across;
  std::vector<Index> chosen = random_rows(
      where.every_row ? rows : fit.hypothesis.across ? Index{16} : budget,
      rows, 7);
  if (!where.every_row) where.rows = chosen;
  const double size = usual_size(reading.output);
  for (std::size_t first = 0; first < chosen.size();) {
    const std::size_t last = std::min(
        chosen.size(), first + static_cast<std::size_t>(widest));
    const Probe some = {{chosen.begin() + static_cast<std::ptrdiff_t>(first),
                         chosen.begin() + static_cast<std::ptrdiff_t>(last)}};
    Comparison all = compare_all(predictor, reading, fit.hypothesis, some);
    const Numbers& predicted = all.exact.output;
    const Numbers got = look_at(reading.output, some);
    const double allowed =
        largest_single * size *
        std::max({fit.allowed, 1e-300, all.fit.allowed});
    const std::vector<double> noise =
        noise_of_rows(predictor, reading, fit.hypothesis, some, all);
    for (Index i = 0; i < got.rows(); ++i) {
      const double allowed_here =
          std::max(allowed, 12 * noise[static_cast<std::size_t>(i)]);
      const Index row = some.rows[static_cast<std::size_t>(i)];
      for (Index c = 0; c < got.cols(); ++c) {
        const double x = got(i, c), y = predicted(i, c);
        const bool both_nan = std::isnan(x) && std::isnan(y);
        const Index y0 = row * looked.rows() / rows;
        const Index x0 = c * looked.cols() / width;
        where.compared += 1;
        looked(y0, x0) += 1;
        if (both_nan || x == y ||
            std::abs(x - y) <=
                allowed_here + spacing(reading.type) * std::abs(x)) {
          continue;
        }
        where.differing += 1;
        where.by_row(row / where.tokens, row % where.tokens) += 1;
        where.by_column(0, c) += 1;
        where.picture(y0, x0) += 1;
      }
    }
    first = last;
  }
  where.by_row /= static_cast<double>(reading.output.cols());
  where.by_column /=
      static_cast<double>(std::max<std::size_t>(1, chosen.size()));
  where.picture.array() /= looked.array().max(1);
  all_agree = where.differing == 0;
  return where;
}

// The first way to read the tensors by which every number is right; or one by
// which most are.
void Search::look_at_right(Diagnosis& diagnosis) {
  Diagnosis apart;
  for (std::size_t plan = 0; plan < plans_.size(); ++plan) {
    main_.tally.fits.clear();
    const Fit fit = look(main_, plan, {});
    if (plan == 0) first_right_ = fit;
    if (!fit.fits()) continue;
    confirm(diagnosis);
    if (diagnosis.fits.empty()) continue;
    bool all_agree = false;
    diagnosis.differences = locate(diagnosis.fits[0], all_agree);
    if (all_agree) {
      diagnosis.finding = Finding::correct;
      // Which bugs would this input not have shown?
      const Fit found = diagnosis.fits[0];
      main_.tally.fits.clear();
      look_at_singles(found.plan);
      confirm(diagnosis);
      diagnosis.same_here = std::move(diagnosis.fits);
      diagnosis.fits = {found};
      return;
    }
    if (apart.fits.empty()) {
      apart = diagnosis;
      apart.finding = Finding::correct_apart;
    }
    diagnosis = {};
  }
  diagnosis = std::move(apart);
}

// Whether the right attention explains a part of the output, at least.
void Search::look_for_parts(Diagnosis& diagnosis) {
  double best = 0.2;  // less may be chance
  for (std::size_t plan = 0; plan < plans_.size(); ++plan) {
    Open& at = open(plan);
    const Probe probe = {random_rows(24, at.reading.output.rows(), 8)};
    const Prediction exact = at.predictor->predict({}, probe);
    const Numbers got = look_at(at.reading.output, probe);
    Fit fit;
    fit.plan = plan;
    fit.reading = at.reading.description;
    fit.error = relative_error(exact.output, got);
    Numbers rounded;
    fit.allowed =
        allowed_error(*at.predictor, at.reading, {}, probe, exact, rounded);
    const double close = largest_of(fit.allowed, exact.output);
    const double share =
        static_cast<double>(
            ((exact.output - got).array().abs() <= close).count()) /
        static_cast<double>(got.size());
    if (share <= best) continue;
    best = share;
    diagnosis.finding = Finding::correct_apart;
    diagnosis.fits = {fit};
  }
  bool all_agree = false;
  if (!diagnosis.fits.empty()) {
    diagnosis.differences = locate(diagnosis.fits[0], all_agree);
  }
}

// Bugs one by one, then in pairs. What agrees everywhere goes before what is
// right, or has one bug, apart from some places.
void Search::look_at_wrong(Diagnosis& diagnosis) {
  const bool mostly_right = diagnosis.finding == Finding::correct_apart;
  for (const bool pairs : {false, true}) {
    if (pairs && mostly_right) return;
    main_.tally.fits.clear();
    if (pairs) {
      look_at_all_pairs();
    } else {
      for (std::size_t plan = 0; plan < plans_.size(); ++plan) {
        look_at_singles(plan);
      }
    }
    Diagnosis found;
    confirm(found);
    if (found.fits.empty()) continue;
    bool all_agree = false;
    found.finding = Finding::named;
    found.differences = locate(found.fits[0], all_agree);
    if (all_agree || diagnosis.fits.empty()) diagnosis = std::move(found);
    if (all_agree) return;
  }
}

Diagnosis Search::run() {
  const auto start = std::chrono::steady_clock::now();
  Diagnosis diagnosis;
  look_at_right(diagnosis);
  if (diagnosis.finding != Finding::correct) look_at_wrong(diagnosis);
  if (diagnosis.finding == Finding::unknown) look_for_parts(diagnosis);
  if (diagnosis.finding == Finding::unknown) {
    look_again_at_refuted();
    diagnosis.nearest = main_.tally.nearest;
    if (diagnosis.nearest.empty() || diagnosis.nearest[0].error > farthest) {
      diagnosis.nothing_near = true;
      diagnosis.nearest = {first_right_};
    }
    bool all_agree = false;
    diagnosis.differences = locate(diagnosis.nearest[0], all_agree);
  }
  close(main_);
  diagnosis.tried = main_.tally.tried;
  diagnosis.left_out = main_.tally.left_out;
  diagnosis.multiplications = main_.tally.multiplications;
  diagnosis.seconds = std::chrono::duration<double>(
                          std::chrono::steady_clock::now() - start).count();
  return diagnosis;
}

}  // namespace

Fit compare(Predictor& predictor, const Reading& reading,
            const Hypothesis& hypothesis, const Probe& probe) {
  return compare_all(predictor, reading, hypothesis, probe).fit;
}

Diagnosis diagnose_tensors(const Roles& roles,
                           const std::function<void(Index)>& progress) {
  return Search(roles, progress).run();
}

}  // namespace diagnose
