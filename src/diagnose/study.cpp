#include "study.hpp"

#include "two_at_once.hpp"

#include "mha/battery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace diagnose {
namespace {

using mha::BoolMatrix;

// How an attention computes.
enum class Arithmetic { in_double, in_float, every_step_rounded };

// A case before its output is known.
struct Setting {
  Reading reading;  // what the program under study is given
  Arithmetic arithmetic = Arithmetic::in_double;
  Hypothesis truth;
  std::string layout;
  bool heads_told = true, layout_told = true, causal_told = true;
  bool saved_in_double = false;  // whatever it was computed in
};

// ---- drawing

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : generator_(seed) {}
  bool chance(Index percent) { return generator_.integer(100) < percent; }
  Index from(Index low, Index high) {
    return low + generator_.integer(high - low + 1);
  }
  template <typename T>
  T any_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(from(0, std::ssize(all) - 1))];
  }
  Numbers normal(Index rows, Index cols, double size) {
    return size * generator_.normal(rows, cols).cast<double>();
  }
  BoolMatrix bools(Index rows, Index cols, Index percent) {
    BoolMatrix table(rows, cols);
    for (bool& one : table.reshaped()) one = chance(percent);
    return table;
  }

 private:
  mha::TorchGenerator generator_;
};

void round_to(NumberType type, Numbers& numbers) {
  for (double& x : numbers.reshaped()) x = rounded_to(type, x);
}

void add_masks(Dice& dice, Reading& reading) {
  Call& call = reading.call;
  if (dice.chance(40)) call.options.causal = mha::Causal::bottom_right;
  if (dice.chance(15)) {
    call.options.pairs = mha::AttendMask::where_true_attends(
        dice.bools(reading.t_q, reading.t_k, 70));
  }
  if (dice.chance(20)) {
    call.padding = dice.bools(call.batch, reading.t_k, 75);
  }
  if (dice.chance(15)) {
    call.options.bias = dice.normal(reading.t_q, reading.t_k, 1);
    round_to(reading.type, call.options.bias);
  }
  if (dice.chance(12)) {
    call.options.scale = 0.1 * static_cast<double>(dice.from(1, 15));
  }
}

void add_layer(Dice& dice, Reading& reading, double size) {
  Call& call = reading.call;
  const Index width = call.q.cols();
  const Index d_model = dice.chance(60) ? width : dice.from(2, 24);
  const bool cross = reading.t_q != reading.t_k || dice.chance(20);
  const auto draw = [&](Index rows, Index cols, double scale) {
    Numbers numbers = dice.normal(rows, cols, scale);
    round_to(reading.type, numbers);
    return numbers;
  };
  reading.layer = true;
  reading.x_q = draw(call.batch * reading.t_q, d_model, size);
  reading.x_kv =
      cross ? draw(call.batch * reading.t_k, d_model, size) : reading.x_q;
  const double root = 1 / std::sqrt(static_cast<double>(d_model));
  Weights& w = reading.weights;
  w.w_q = draw(d_model, width, root);
  w.w_k = draw(d_model, call.k.cols(), root);
  w.w_v = draw(d_model, call.k.cols(), root);
  w.w_o = draw(width, d_model, 1 / std::sqrt(static_cast<double>(width)));
  if (dice.chance(70)) {
    w.b_q = draw(1, width, 0.5);
    w.b_k = draw(1, call.k.cols(), 0.5);
    w.b_v = draw(1, call.k.cols(), 0.5);
    w.b_o = draw(1, d_model, 0.5);
  }
}

Reading draw_reading(Dice& dice) {
  Reading reading;
  reading.type = dice.any_of<NumberType>(
      {NumberType::float16, NumberType::bfloat16, NumberType::float32,
       NumberType::float64});
  mha::CallSizes sizes = {.batch = dice.from(1, 3), .t_q = dice.from(1, 12)};
  sizes.t_k = dice.chance(65) ? sizes.t_q : dice.from(1, 12);
  sizes.n_heads = dice.from(1, 6);
  std::vector<Index> groups;
  for (Index g = 1; g <= sizes.n_heads; ++g) {
    if (sizes.n_heads % g == 0) groups.push_back(g);
  }
  sizes.n_kv_heads = dice.chance(60) ? sizes.n_heads : dice.any_of(groups);
  sizes.d_head = dice.from(1, 8);
  reading.t_q = sizes.t_q;
  reading.t_k = sizes.t_k;
  reading.call = mha::random_call(
      static_cast<std::uint32_t>(dice.from(0, 1 << 30)), sizes);
  const double size = dice.any_of<double>({0.3, 1, 1, 1, 1, 3, 30});
  reading.call.q *= size;
  for (Numbers* one :
       {&reading.call.q, &reading.call.k, &reading.call.v}) {
    round_to(reading.type, *one);
  }
  add_masks(dice, reading);
  if (dice.chance(35)) add_layer(dice, reading, std::min(size, 3.0));
  return reading;
}

std::vector<std::string> layouts_for(const Reading& reading) {
  const bool one = reading.call.batch == 1;
  if (reading.layer) {
    return one ? std::vector<std::string>{"btd", "tbd", "td"}
               : std::vector<std::string>{"btd", "tbd"};
  }
  std::vector<std::string> some = {"bthd", "bhtd", "tbhd", "btd", "tbd"};
  if (one) {
    for (const char* more : {"htd", "thd", "td"}) some.push_back(more);
  }
  return some;
}

// What is wrong, among what has anything to do here.
Hypothesis draw_truth(Dice& dice, const Reading& reading) {
  const Index kind = dice.from(0, 99);
  if (kind < 40) return {};
  const Traits traits = traits_of(reading);
  std::vector<const Variation*> some;
  for (const Variation& one : variations()) {
    if (!one.matters || one.matters(traits)) some.push_back(&one);
  }
  if (kind < 90) return *combine({dice.any_of(some)});
  while (true) {  // in the order in which a diagnosis names them
    const Index second = dice.from(1, std::ssize(some) - 1);
    const Index first = dice.from(0, second - 1);
    const auto both = combine({some[static_cast<std::size_t>(first)],
                               some[static_cast<std::size_t>(second)]});
    if (both) return *both;
  }
}

Setting draw_setting(Dice& dice) {
  Setting setting;
  setting.reading = draw_reading(dice);
  setting.arithmetic = dice.any_of<Arithmetic>(
      {Arithmetic::in_double, Arithmetic::in_float,
       Arithmetic::every_step_rounded});
  if (setting.reading.type == NumberType::float64) {
    setting.arithmetic = Arithmetic::in_double;
  }
  setting.layout = dice.any_of(layouts_for(setting.reading));
  setting.heads_told = dice.chance(70);
  setting.layout_told = dice.chance(60);
  setting.causal_told = dice.chance(60);
  setting.saved_in_double = dice.chance(15);
  return setting;
}

// ---- computing

// The type whose rounding each step has, or nothing.
std::optional<NumberType> step_type(const Setting& setting) {
  switch (setting.arithmetic) {
    case Arithmetic::in_double: return {};
    case Arithmetic::in_float: return NumberType::float32;
    case Arithmetic::every_step_rounded: break;
  }
  return setting.reading.type;
}

// Projected as a program does it.
Call projected_call(const Reading& reading,
                    const std::optional<NumberType>& type) {
  if (!reading.layer) return reading.call;
  Call call = reading.call;
  const auto project = [&](const Numbers& x, const Numbers& w,
                           const mha::RowVector<double>& b) {
    Numbers y = x * w;
    if (b.size() != 0) y.rowwise() += b;
    if (type) round_to(*type, y);
    return y;
  };
  const Weights& w = reading.weights;
  call.q = project(reading.x_q, w.w_q, w.b_q);
  call.k = project(reading.x_kv, w.w_k, w.b_k);
  call.v = project(reading.x_kv, w.w_v, w.b_v);
  return call;
}

// One row of a right attention in plain loops over floats, from the last key
// to the first: another order of sums than anything it is compared with.
void plain_row(const Call& call, const BoolMatrix& seen, Index b, Index h,
               Index i, const std::optional<NumberType>& type,
               Numbers& output) {
  const auto step = [&](float x) {
    return type ? static_cast<float>(
                      rounded_to(*type, static_cast<double>(x)))
                : x;
  };
  const auto narrow = [](double x) { return static_cast<float>(x); };
  const Index d = d_head_of(call), t_k = keys_of(call);
  const Index kv = h / (call.n_heads / call.n_kv_heads);
  const float scale = narrow(gallery::scale_of(call));
  const Index row = b * tokens_of(call) + i;
  std::vector<float> weights(static_cast<std::size_t>(t_k), 0);
  float highest = -std::numeric_limits<float>::infinity();
  for (Index j = t_k; j-- > 0;) {
    float score = 0;
    for (Index c = d; c-- > 0;) {
      score += narrow(call.q(row, h * d + c)) *
               narrow(call.k(b * t_k + j, kv * d + c));
    }
    score = step(scale * score);
    if (mha::is_given(call.options.bias)) {
      score = step(score + narrow(call.options.bias(i, j)));
    }
    weights[static_cast<std::size_t>(j)] = score;
    if (seen(i, j)) highest = std::max(highest, score);
  }
  float total = 0;
  for (Index j = t_k; j-- > 0;) {
    float& weight = weights[static_cast<std::size_t>(j)];
    weight = seen(i, j) ? std::exp(weight - highest) : 0;
    total += weight;
  }
  for (Index c = 0; c < d; ++c) {
    float sum = 0;
    for (Index j = t_k; j-- > 0;) {
      const float weight = weights[static_cast<std::size_t>(j)];
      if (weight == 0) continue;
      sum += step(weight / total) * narrow(call.v(b * t_k + j, kv * d + c));
    }
    output(row, h * d + c) = static_cast<double>(step(sum));
  }
}

Numbers plain_attention(const Call& call,
                        const std::optional<NumberType>& type) {
  Numbers output = Numbers::Zero(call.q.rows(), call.q.cols());
  for (Index b = 0; b < call.batch; ++b) {
    const BoolMatrix seen = gallery::visible_to(call, b);
    for (Index h = 0; h < call.n_heads; ++h) {
      for (Index i = 0; i < tokens_of(call); ++i) {
        plain_row(call, seen, b, h, i, type, output);
      }
    }
  }
  return output;
}

Numbers right_in_loops(const Setting& setting) {
  const Reading& reading = setting.reading;
  const auto type = step_type(setting);
  Numbers heads = plain_attention(projected_call(reading, type), type);
  if (!reading.layer) return heads;
  Numbers output = heads * reading.weights.w_o;
  if (reading.weights.b_o.size() != 0) {
    output.rowwise() += reading.weights.b_o;
  }
  return output;
}

Probe every_row(const Reading& reading) {
  Probe probe;
  probe.rows.resize(static_cast<std::size_t>(reading.call.batch * reading.t_q));
  std::iota(probe.rows.begin(), probe.rows.end(), 0);
  return probe;
}

// The output of the program under study, as its file holds it.
Numbers output_of(const Setting& setting) {
  const Reading& reading = setting.reading;
  const auto type = step_type(setting);
  Numbers output;
  if (setting.truth.parts.empty() && type) {
    output = right_in_loops(setting);
  } else if (!type && !reading.layer) {
    output = gallery::with(setting.truth.steps,
                           setting.truth.rewrite)(reading.call).output;
  } else {
    Reading computed = reading;
    computed.type = type.value_or(NumberType::float64);
    computed.output.resize(reading.call.batch * reading.t_q, 1);
    Predictor predictor(computed);
    output = predictor.predict(setting.truth, every_row(reading),
                               type.has_value()).output;
  }
  round_to(reading.type, output);
  return output;
}

// Draws what is wrong, until it is something that gives an output: some wrong
// attentions refuse some masks.
Numbers draw_output(Dice& dice, Setting& setting) {
  while (true) {
    setting.truth = draw_truth(dice, setting.reading);
    try {
      return output_of(setting);
    } catch (const std::invalid_argument&) {
    }
  }
}

// ---- what the diagnosis is given

Tensor tensor_of(const Numbers& numbers, NumberType type) {
  return {{numbers.rows(), numbers.cols()}, type,
          {numbers.data(), numbers.data() + numbers.size()}};
}

Tensor table_of(const BoolMatrix& table) {
  return tensor_of(table.cast<double>().matrix(), NumberType::boolean);
}

// Rows (b t, h d) in another order of axes.
Tensor laid_out(const Numbers& rows, const std::string& layout, Index batch,
                Index heads, NumberType type) {
  const auto size = [&](char axis) -> Index {
    switch (axis) {
      case 'b': return batch;
      case 't': return rows.rows() / batch;
      case 'h': return heads;
      default: break;
    }
    const bool split = layout.find('h') != std::string::npos;
    return split ? rows.cols() / heads : rows.cols();
  };
  Tensor tensor;
  tensor.type = type;
  for (const char axis : layout) tensor.shape.push_back(size(axis));
  std::map<char, Index> at = {{'b', 0}, {'t', 0}, {'h', 0}, {'d', 0}};
  for (Index n = 0; n < rows.size(); ++n) {
    Index rest = n;
    for (std::size_t axis = layout.size(); axis-- > 0;) {
      at[layout[axis]] = rest % tensor.shape[axis];
      rest /= tensor.shape[axis];
    }
    tensor.values.push_back(rows(at['b'] * (rows.rows() / batch) + at['t'],
                                 at['h'] * size('d') + at['d']));
  }
  return tensor;
}

Roles roles_of(const Setting& setting, const Numbers& output) {
  const Reading& reading = setting.reading;
  const Call& call = reading.call;
  const NumberType type =
      setting.saved_in_double ? NumberType::float64 : reading.type;
  Roles roles;
  const auto put = [&](const char* name, const Numbers& rows, Index heads) {
    roles.tensors[name] =
        laid_out(rows, setting.layout, call.batch, heads, type);
  };
  put("out", output, call.n_heads);
  if (reading.layer) {
    put("x", reading.x_q, 1);
    if (reading.x_kv.rows() != reading.x_q.rows() ||
        reading.x_kv != reading.x_q) {
      put("x_kv", reading.x_kv, 1);
    }
    const Weights& w = reading.weights;
    const auto matrix = [&](const char* name, const Numbers& m) {
      roles.tensors[name] = tensor_of(m, type);
    };
    matrix("w_q", w.w_q);
    matrix("w_k", w.w_k);
    matrix("w_v", w.w_v);
    matrix("w_o", w.w_o);
    if (w.b_q.size() != 0) {
      matrix("b_q", w.b_q);
      matrix("b_k", w.b_k);
      matrix("b_v", w.b_v);
      matrix("b_o", w.b_o);
    }
  } else {
    put("q", call.q, call.n_heads);
    put("k", call.k, call.n_kv_heads);
    put("v", call.v, call.n_kv_heads);
  }
  if (mha::is_given(call.padding)) {
    roles.tensors["padding"] = table_of(call.padding);
  }
  if (mha::is_given(call.options.pairs.attends())) {
    roles.tensors["mask"] = table_of(call.options.pairs.attends());
    roles.told.true_attends = true;
  }
  if (mha::is_given(call.options.bias)) {
    roles.tensors["bias"] = tensor_of(call.options.bias, type);
  }
  roles.told.scale = call.options.scale;
  if (setting.heads_told) {
    roles.told.n_heads = call.n_heads;
    roles.told.n_kv_heads = call.n_kv_heads;
  }
  if (setting.layout_told) roles.told.layout = setting.layout;
  if (setting.causal_told) {
    roles.told.causal = call.options.causal != mha::Causal::none;
  }
  return roles;
}

// ---- judging

// Four times what rounding moves this output by, or the right one if every
// step rounds to the file's type; at least some units in the last place.
double beyond_rounding(const Setting& setting, const Numbers& output) {
  Reading exact = setting.reading;
  exact.output = output;
  Predictor predictor(exact);
  const Probe every = every_row(exact);
  const double moved = relative_error(
      output, predictor.predict(setting.truth, every).output);
  const double coarsest =
      relative_error(predictor.predict({}, every, true).output,
                     predictor.predict({}, every).output);
  double beyond =
      4 * (exact.type == NumberType::float64 ? 2.5e-13 : 2.5e-6);
  for (const double error : {moved, coarsest}) {
    if (std::isfinite(error)) beyond = std::max(beyond, 4 * error);
  }
  return beyond;
}

Numbers right_output(const Reading& reading) {
  Predictor predictor(reading);
  return predictor.predict({}, every_row(reading)).output;
}

// Whether some way to read the tensors makes the output right.
bool is_right(const Roles& roles, double beyond) {
  for (const ReadingPlan& plan : plans(roles)) {
    const Reading reading = read_so(roles, plan);
    if (relative_error(right_output(reading), reading.output) <= beyond) {
      return true;
    }
  }
  return false;
}

// A pair of which one part changes nothing here is the other part.
std::vector<std::string> names_of(const Setting& setting, double beyond) {
  std::vector<std::string> names = {setting.truth.name()};
  if (setting.truth.parts.size() < 2) return names;
  Reading reading = setting.reading;
  reading.output.resize(reading.call.batch * reading.t_q, 1);
  Predictor predictor(reading);
  const Probe every = every_row(reading);
  const Numbers both = predictor.predict(setting.truth, every).output;
  for (const Variation* part : setting.truth.parts) {
    try {
      const Numbers one = predictor.predict(*combine({part}), every).output;
      if (relative_error(one, both) <= beyond) names.push_back(part->name);
    } catch (const std::invalid_argument&) {  // it gives no output by itself
    }
  }
  return names;
}

bool is_named(const Diagnosis& diagnosis,
              const std::vector<std::string>& names) {
  for (const Fit& fit : diagnosis.fits) {
    for (const std::string& name : names) {
      if (fit.hypothesis.name() == name) return true;
    }
  }
  return false;
}

std::string outcome_of(const Setting& setting, const Roles& roles,
                       const Numbers& output, const Diagnosis& diagnosis) {
  if (setting.truth.parts.empty()) {
    return diagnosis.finding == Finding::correct ? "right" : "accused";
  }
  const double beyond = beyond_rounding(setting, output);
  if (is_right(roles, beyond)) return "same";
  if (diagnosis.finding != Finding::named) return "missed";
  if (is_named(diagnosis, names_of(setting, beyond))) {
    return diagnosis.fits.size() == 1 ? "alone" : "either";
  }
  return diagnosis.differences.differing == 0 ? "equal" : "other";
}

std::string finding_text(const Diagnosis& diagnosis) {
  switch (diagnosis.finding) {
    case Finding::correct: return "correct";
    case Finding::correct_apart: return "correct in part";
    case Finding::unknown: return "unknown";
    case Finding::named: break;
  }
  std::string text;
  for (const Fit& fit : diagnosis.fits) {
    text += (text.empty() ? "" : ", ") + fit.hypothesis.name();
  }
  return text;
}

std::string sizes_text(const Setting& setting) {
  const Reading& reading = setting.reading;
  const Call& call = reading.call;
  return fmt::format(
      "B {} T {}x{} H {}/{} d {} {}{}{}{}{}{}{}, {}{}, heads {} layout {} "
      "causal {}", call.batch, reading.t_q, reading.t_k, call.n_heads,
      call.n_kv_heads, d_head_of(call), setting.layout,
      reading.layer ? " layer" : "",
      call.options.causal == mha::Causal::none ? "" : " causal",
      mha::is_given(call.options.pairs.attends()) ? " pairs" : "",
      mha::is_given(call.padding) ? " padding" : "",
      mha::is_given(call.options.bias) ? " bias" : "",
      call.options.scale ? " scale" : "",
      setting.arithmetic == Arithmetic::in_double  ? "in double"
      : setting.arithmetic == Arithmetic::in_float ? "in float"
                                                   : "every step rounded",
      setting.saved_in_double ? ", saved in double" : "",
      setting.heads_told ? "told" : "tried",
      setting.layout_told ? "told" : "tried",
      setting.causal_told ? "told" : "tried");
}

void count(StudyCounts& counts, const std::string& outcome) {
  if (outcome == "right" || outcome == "accused") {
    counts.right += 1;
    counts.accused += outcome == "accused";
    return;
  }
  if (outcome == "same") {
    counts.same += 1;
    return;
  }
  counts.wrong += 1;
  counts.alone += outcome == "alone";
  counts.either += outcome == "either";
  counts.equal += outcome == "equal";
  counts.missed += outcome == "missed";
  counts.other += outcome == "other";
}

}  // namespace

StudyCase study_case(std::uint32_t seed) {
  Dice dice(seed);
  Setting setting = draw_setting(dice);
  const Numbers output = draw_output(dice, setting);
  const Roles roles = roles_of(setting, output);
  const Diagnosis diagnosis = diagnose_tensors(roles);
  StudyCase one;
  one.seed = seed;
  one.truth = setting.truth.name();
  one.found = finding_text(diagnosis);
  one.outcome = outcome_of(setting, roles, output, diagnosis);
  const std::size_t parts = setting.truth.parts.size();
  one.kind = parts == 0 ? "right" : parts == 1 ? "one bug" : "two bugs";
  one.type = name(setting.reading.type);
  one.sizes = sizes_text(setting);
  return one;
}

Study study(Index cases, std::uint32_t seed) {
  std::vector<StudyCase> all(static_cast<std::size_t>(cases));
  const auto every_other = [&](std::size_t first) {
    for (std::size_t i = first; i < all.size(); i += 2) {
      all[i] = study_case(seed + static_cast<std::uint32_t>(i));
    }
  };
  two_at_once([&] { every_other(0); }, [&] { every_other(1); });
  Study study;
  for (const char* row : {"right", "one bug", "two bugs", "float64", "float32",
                          "float16", "bfloat16"}) {
    study.rows.emplace_back(row, StudyCounts{});
  }
  for (const StudyCase& one : all) {
    count(study.all, one.outcome);
    for (auto& [row, counts] : study.rows) {
      if (row == one.kind || row == one.type) count(counts, one.outcome);
    }
    if (one.outcome == "accused" || one.outcome == "missed" ||
        one.outcome == "other") {
      study.failed.push_back(one);
    }
  }
  return study;
}

std::string study_table(const Study& study) {
  std::string text = fmt::format(
      "{:<9} {:>6} {:>8} {:>6} {:>6} {:>6} {:>7} {:>6} {:>7} {:>6}\n", "",
      "right", "accused", "same", "wrong", "alone", "either", "equal",
      "missed", "other");
  const auto add = [&](const std::string& name, const StudyCounts& counts) {
    text += fmt::format(
        "{:<9} {:>6} {:>8} {:>6} {:>6} {:>6} {:>7} {:>6} {:>7} {:>6}\n", name,
        counts.right, counts.accused, counts.same, counts.wrong, counts.alone,
        counts.either, counts.equal, counts.missed, counts.other);
  };
  for (const auto& [name, counts] : study.rows) add(name, counts);
  add("all", study.all);
  return text;
}

}  // namespace diagnose
