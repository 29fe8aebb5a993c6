#include "mutant_counts.hpp"

#include "mha/generator.hpp"
#include "mha/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

namespace mutants {

// [note a site]
void Mutator::note(const Mutant& mutant) const {
  for (const Mutant& known : *found_) {
    if (std::strcmp(known.site, mutant.site) != 0) continue;
    if (known.site != mutant.site) {
      throw std::logic_error("two sites are called " + name_of(mutant));
    }
    if (known.which == mutant.which) return;
  }
  found_->push_back(mutant);
}
// [note a site]

// [random sizes of a call]
namespace {
using Call = mha::AttentionCall;
using mha::TorchGenerator;

mha::CallSizes random_sizes(TorchGenerator& draw, Index round,
                            const mha::Abilities& can) {
  const Index longest = round % 40 == 39 ? 150 : round % 10 == 9 ? 40 : 6;
  mha::CallSizes sizes;
  sizes.batch = can.batches ? 1 + draw.integer(3) : 1;
  sizes.t_q = 1 + draw.integer(longest);
  sizes.t_k = can.cross ? 1 + draw.integer(longest) : sizes.t_q;
  sizes.n_kv_heads = 1 + draw.integer(3);
  sizes.n_heads =
      sizes.n_kv_heads * (can.shared_heads ? 1 + draw.integer(3) : 1);
  sizes.d_head = 1 + draw.integer(5);
  return sizes;
}
// [random sizes of a call]

// [random masks of a call]
void add_masks(Call& call, TorchGenerator& draw, const mha::Abilities& can) {
  const Index t_q = tokens_of(call), t_k = keys_of(call);
  const auto table = [&](Index rows) -> mha::BoolMatrix {
    return draw.uniform(rows, t_k, 0, 1).array() < 0.75F;
  };
  if (can.causal && draw.integer(3) == 0)
    call.options.causal = mha::Causal::bottom_right;
  if (can.pairs && draw.integer(3) == 0)
    call.options.pairs = mha::AttendMask::where_true_attends(table(t_q));
  if (can.padding && draw.integer(3) == 0) call.padding = table(call.batch);
  if (can.bias && draw.integer(3) == 0) {
    call.options.bias = draw.normal(t_q, t_k).cast<double>();
    if (draw.integer(2) == 0)
      call.options.bias(0, t_k - 1) = -std::numeric_limits<double>::infinity();
  }
  if (can.scale && draw.integer(4) == 0) call.options.scale = 0.7;
  call.need_weights = draw.integer(2) == 0;
  call.dropout = 0.3;
}
// [random masks of a call]

// [odd calls]
// Large scores, infinite ones, and NaN where it may not be seen.
void make_odd(Call& call, TorchGenerator& draw, const mha::Abilities& can) {
  const Index kind = draw.integer(8);
  if (kind == 0) call.q *= 1000;
  if (kind == 1) call.k.setConstant(-30);
  if (kind == 2 && can.infinite_scores && call.k.rows() == call.batch) {
    call.q.setConstant(1e200);
    call.k.setConstant(1e200);
  }
  if (kind == 3 && can.padding && can.hidden_nan) {
    call.padding = mha::BoolMatrix::Constant(call.batch, keys_of(call), true);
    call.padding(0, 0) = false;
    call.v.row(0).setConstant(std::nan(""));
  }
  if (kind == 4 && can.training) {
    call.training = true;
    call.seed = 5;
  }
}
// [odd calls]

// [refused calls]
void add_refused(std::vector<Call>& calls, const mha::Abilities& can) {
  if (!can.refuses) return;
  calls.push_back(mha::random_call(1, {.t_q = 2, .d_head = 8}));
  calls.back().n_heads = calls.back().n_kv_heads = 3;
  if (!can.batches) return;
  calls.push_back(mha::random_call(2, {.batch = 4, .t_q = 2, .d_head = 2}));
  calls.back().q = calls.back().q.topRows(2).eval();
  calls.back().batch = 1;
}
}  // namespace
// [refused calls]

// [random calls for mutants]
std::vector<Call> random_calls(Index count, const mha::Abilities& abilities) {
  TorchGenerator draw(91);
  std::vector<Call> calls;
  add_refused(calls, abilities);
  for (Index round = 0; round < count; ++round) {
    Call call = mha::random_call(static_cast<std::uint32_t>(1000 + round),
                                 random_sizes(draw, round, abilities));
    add_masks(call, draw, abilities);
    make_odd(call, draw, abilities);
    if (!abilities.empty_rows &&
        mha::by_definition(call).array().isNaN().any()) continue;
    calls.push_back(std::move(call));
  }
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return a.q.size() * a.k.size() < b.q.size() * b.k.size();
  });
  return calls;
}
// [random calls for mutants]

// [far apart]
bool far_apart(const mha::Matrix<double>& a, const mha::Matrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return true;
  for (Index n = 0; n < a.size(); ++n) {
    const double x = a.data()[n], y = b.data()[n];
    if (std::isnan(x) && std::isnan(y)) continue;
    // Written so that a NaN on one side counts as far.
    if (!(std::abs(x - y) <= 1e-12 * std::max(1.0, std::abs(x)))) return true;
  }
  return false;
}
// [far apart]

// [answers differ]
namespace {
using Answer = std::optional<mha::AttentionAnswer>;  // nothing: refused

Answer answer_to(const MutableAttention& program, const Call& call,
                 const Mutator& m) {
  try {
    return program(call, m);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

bool differ(const Answer& a, const Answer& b) {
  if (!a || !b) return a.has_value() != b.has_value();
  if (far_apart(a->output, b->output)) return true;
  return !std::equal(a->weights.begin(), a->weights.end(), b->weights.begin(),
                     b->weights.end(), [](const auto& x, const auto& y) {
                       return !far_apart(x, y);
                     });
}
// [answers differ]

// [caught by]
// A check that fails, or nothing. Those with one input are tried first, and
// then the one that catches most.
std::string caught_by(const mha::AttentionFunction& attention,
                      const mha::Abilities& abilities) {
  static const std::vector<mha::Check> in_order = [] {
    std::vector<mha::Check> all = mha::checks();
    const auto cost = [](const mha::Check& check) {
      return !check.at_any_size                           ? 0
             : check.sentence.starts_with("with every mask") ? 1
                                                          : 2;
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return cost(a) < cost(b);
    });
    return all;
  }();
  for (const mha::Check& check : in_order) {
    if (mha::has_all(check.needs, abilities) &&
        mha::find_fault(check, attention, abilities)) return check.sentence;
  }
  return "";
}
}  // namespace
// [caught by]

// [all mutants]
std::vector<Mutant> all_mutants(const MutableAttention& program,
                                const std::vector<Call>& calls) {
  std::vector<Mutant> found;
  const Mutator noting(found);
  for (std::size_t n = 0; n < std::min<std::size_t>(calls.size(), 60); ++n)
    answer_to(program, calls[n], noting);
  return found;
}
// [all mutants]

// [fates of mutants]
std::vector<Fate> fates(const MutableAttention& program,
                        const std::vector<Call>& calls,
                        const mha::Abilities& abilities) {
  std::vector<Answer> right;
  const Mutator none{Mutant{}};
  for (const Call& call : calls)
    right.push_back(answer_to(program, call, none));
  std::vector<Fate> all;
  for (const Mutant& mutant : all_mutants(program, calls)) {
    const Mutator m(mutant);
    Fate fate = {mutant};
    for (std::size_t n = 0; n < calls.size() && !fate.changes; ++n)
      fate.changes = differ(right[n], answer_to(program, calls[n], m));
    fate.check = caught_by([&](const Call& call) { return program(call, m); },
                           abilities);
    fate.caught = !fate.check.empty();
    all.push_back(fate);
  }
  return all;
}
// [fates of mutants]

// [plain fates]
const std::vector<Fate>& plain_fates() {
  static const std::vector<Fate> all =
      fates(plain_attention, random_calls(400, {}), {});
  return all;
}
// [plain fates]

// [print fates]
void print_fates(const std::vector<Fate>& fates) {
  struct Count { int mutants, equal, caught; };
  std::map<std::string, Count> kinds;
  for (const Fate& one : fates) {
    Count& count = kinds[one.mutant.kind];
    ++count.mutants;
    count.equal += !one.changes;
    count.caught += one.changes && one.caught;
  }
  mha::heading("Mutants of a right attention");
  fmt::print("{:<12} {:>8} {:>15} {:>7}\n", "kind", "mutants", "change nothing",
             "caught");
  for (const auto& [kind, count] : kinds)
    fmt::print("{:<12} {:>8} {:>15} {:>7}\n", kind, count.mutants, count.equal,
               count.caught);
  // [print fates]
  // [print the rest]
  mha::heading("Mutants that change nothing");
  for (const Fate& one : fates)
    if (!one.changes) fmt::print("{}\n", name_of(one.mutant));
  for (const Fate& one : fates)
    if (one.changes && !one.caught)
      fmt::print("NOT CAUGHT {}\n", name_of(one.mutant));
}
// [print the rest]

}  // namespace mutants

TEST_CASE("every mutant that changes the function is caught") {
  for (const mutants::Fate& one : mutants::plain_fates()) {
    CAPTURE(mutants::name_of(one.mutant));
    CHECK(one.caught == one.changes);
  }
}

TEST_CASE("one mutant of the plain attention changes nothing") {
  std::vector<std::string> equal;
  for (const mutants::Fate& one : mutants::plain_fates())
    if (!one.changes) equal.push_back(mutants::name_of(one.mutant));
  // A hidden first key scores minus infinity, and one that is seen takes part.
  CHECK(equal == std::vector<std::string>{"maximum, start: from the first "
                                          "key"});
}
