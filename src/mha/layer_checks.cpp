#include "mha/layer_checks.hpp"

#include "mha/generator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mha {

// [layer by definition]
Matrix<double> layer_by_definition(const LayerCall& call) {
  const LayerWeights<double>& w = call.weights;
  const Matrix<double>& source = call.memory.size() == 0 ? call.x : call.memory;
  AttentionCall inside;
  inside.q = project(call.x, w.w_q, w.b_q, "x");
  inside.k = project(source, w.w_k, w.b_k, "the source of the keys");
  inside.v = project(source, w.w_v, w.b_v, "the source of the values");
  inside.batch = inside.kv_batch = call.batch;
  inside.n_heads = call.n_heads;
  inside.n_kv_heads = call.n_kv_heads;
  inside.options = call.options;
  inside.padding = call.padding;
  return project(by_definition(inside), w.w_o, w.b_o, "the row of heads");
}
// [layer by definition]

// [selecting weights]
namespace {
// A (rows, cols) matrix that takes `cols` columns from column `from` on;
// beyond `count` of them zeros.
Matrix<double> selecting(Index rows, Index cols, Index from, Index count) {
  Matrix<double> w = Matrix<double>::Zero(rows, cols);
  for (Index c = 0; c < count; ++c) w(from + c, c) = 1;
  return w;
}

// m in columns `from` and on of a wider matrix of zeros.
void place(Matrix<double>& wide, const Matrix<double>& m, Index from) {
  wide.middleCols(from, m.cols()) = m;
}
}  // namespace
// [selecting weights]

// [attention of layer]
AttentionFunction attention_of_layer(LayerFunction layer) {
  return [layer = std::move(layer)](const AttentionCall& call) {
    const Index w = call.q.cols(), wide = 3 * w, kv = call.k.cols();
    LayerCall inside;
    inside.x = Matrix<double>::Zero(call.q.rows(), wide);
    place(inside.x, call.q, 0);
    const bool self = call.q.rows() == call.k.rows();
    inside.memory = Matrix<double>::Zero(self ? 0 : call.k.rows(), wide);
    place(self ? inside.x : inside.memory, call.k, w);
    place(self ? inside.x : inside.memory, call.v, 2 * w);
    inside.weights = {selecting(wide, wide, 0, w),
                      selecting(wide, 3 * kv, w, kv),
                      selecting(wide, 3 * kv, 2 * w, kv),
                      Matrix<double>::Identity(wide, wide), {}, {}, {}, {}};
    inside.batch = call.batch;
    inside.n_heads = 3 * call.n_heads;
    // [attention of layer]
    // [attention of layer, the rest]
    inside.n_kv_heads = 3 * call.n_kv_heads;
    inside.options = call.options;
    inside.padding = call.padding;
    const Matrix<double> output = layer(inside);
    if (output.rows() != call.q.rows() || output.cols() != wide) {
      throw std::runtime_error(
          fmt::format("the layer's output is {} x {}, expected {} x {}",
                      output.rows(), output.cols(), call.q.rows(), wide));
    }
    return AttentionAnswer{output.leftCols(w), {}};
  };
}
// [attention of layer, the rest]

// [random layer call]
LayerCall random_layer_call(std::uint32_t seed, const CallSizes& sizes,
                            const Abilities& abilities) {
  TorchGenerator generator(seed);
  const auto draw = [&](Index rows, Index cols) -> Matrix<double> {
    return generator.normal(rows, cols).cast<double>();
  };
  const Index width = sizes.n_heads * sizes.d_head;
  const Index kv_width = sizes.n_kv_heads * sizes.d_head;
  const Index d_model = abilities.any_width ? width + 3 : width;
  const bool cross = abilities.cross && sizes.t_k != sizes.t_q;
  const Index d_memory = cross && abilities.any_width ? d_model + 2 : d_model;
  LayerCall call;
  call.x = draw(sizes.batch * sizes.t_q, d_model);
  if (cross) call.memory = draw(sizes.batch * sizes.t_k, d_memory);
  const auto weight = [&](Index rows, Index cols) -> Matrix<double> {
    return draw(rows, cols) / std::sqrt(static_cast<double>(rows));
  };
  // [random layer call]
  // [random layer call, weights]
  LayerWeights<double>& w = call.weights;
  w.w_q = weight(d_model, width);
  w.w_k = weight(d_memory, kv_width);
  w.w_v = weight(d_memory, kv_width);
  w.w_o = weight(width, d_model);
  if (abilities.biases) {
    w.b_q = draw(1, width);
    w.b_k = draw(1, kv_width);
    w.b_v = draw(1, kv_width);
    w.b_o = draw(1, d_model);
  }
  call.batch = sizes.batch;
  call.n_heads = sizes.n_heads;
  call.n_kv_heads = sizes.n_kv_heads;
  return call;
}
// [random layer call, weights]

// [layer output]
Matrix<double> LayerTrial::output(const LayerCall& call) {
  asked = call;
  Matrix<double> got = layer(call);
  const Index rows = call.x.rows(), cols = call.weights.w_o.cols();
  if (got.rows() == rows && got.cols() == cols) return got;
  throw std::runtime_error(
      fmt::format("the layer's output is {} x {}, expected {} x {}",
                  got.rows(), got.cols(), rows, cols));
}
// [layer output]

namespace {

// [layer sizes]
// Fewest numbers first; sizes that an ability excludes are left out.
std::vector<CallSizes> layer_sizes(const Abilities& abilities) {
  std::vector<CallSizes> sizes;
  for (const CallSizes& one :
       {CallSizes{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 2}, {1, 1, 1, 2, 2, 1},
        {1, 2, 2, 1, 1, 1}, {1, 2, 2, 2, 2, 2}, {1, 2, 3, 2, 2, 3},
        {2, 2, 2, 2, 2, 3}, {1, 3, 3, 4, 2, 3}, {2, 3, 5, 3, 3, 2},
        {2, 5, 5, 6, 3, 4}, {1, 40, 40, 3, 3, 5}}) {
    if ((one.batch > 1 && !abilities.batches) ||
        (one.t_q != one.t_k && !abilities.cross) ||
        (one.n_heads != one.n_kv_heads && !abilities.shared_heads)) {
      continue;
    }
    sizes.push_back(one);
  }
  return sizes;
}
// [layer sizes]

// [a layer equals the definition]
std::string layer_equals(LayerTrial& trial) {
  for (const CallSizes& sizes : layer_sizes(trial.abilities)) {
    const LayerCall call = random_layer_call(71, sizes, trial.abilities);
    const std::string found =
        compare("the output, row by row", layer_by_definition(call),
                trial.output(call), trial.abilities.epsilon);
    if (!found.empty()) return found;
  }
  return "";
}
// [a layer equals the definition]

// [bias used once]
using Bias = RowVector<double> LayerWeights<double>::*;

LayerCall with_one_bias(LayerCall call, Bias bias, double times) {
  const RowVector<double> kept = call.weights.*bias * times;
  for (const Bias one :
       {&LayerWeights<double>::b_q, &LayerWeights<double>::b_k,
        &LayerWeights<double>::b_v, &LayerWeights<double>::b_o}) {
    (call.weights.*one).setZero();
  }
  call.weights.*bias = kept;
  return call;
}

// Says how often the bias was added, if it was not once.
std::string used_once(LayerTrial& trial, Bias bias) {
  const LayerCall call =
      random_layer_call(72, {1, 3, 3, 3, 3, 2}, trial.abilities);
  const double epsilon = trial.abilities.epsilon;
  const Matrix<double> got = trial.output(with_one_bias(call, bias, 1));
  const auto is = [&](double times) {
    return !differ(layer_by_definition(with_one_bias(call, bias, times)), got,
                   epsilon);
  };
  // [bias used once]
  // [biases, each]
  if (is(1)) return "";
  if (is(0)) return "it is not used";
  for (const int times : {2, 3, -1}) {
    if (is(times)) return fmt::format("3 heads: it is added {} times", times);
  }
  return "the output is that of another bias";
}

std::string query_bias(LayerTrial& trial) {
  return used_once(trial, &LayerWeights<double>::b_q);
}
std::string value_bias(LayerTrial& trial) {
  return used_once(trial, &LayerWeights<double>::b_v);
}
std::string output_bias(LayerTrial& trial) {
  return used_once(trial, &LayerWeights<double>::b_o);
}
// [biases, each]

// [key bias]
// It adds the same to every score of a row, and the softmax takes it off.
std::string key_bias(LayerTrial& trial) {
  LayerCall call = random_layer_call(73, {1, 3, 3, 2, 2, 4}, trial.abilities);
  const Matrix<double> before = trial.output(call);
  call.weights.b_k *= -3;
  return differ(before, trial.output(call), 16 * trial.abilities.epsilon)
             ? "another key bias gives another output"
             : "";
}
// [key bias]

// [value bias passes]
// A row of weights sums to 1, so what is added to every value is added to
// every row of heads.
std::string value_bias_passes(LayerTrial& trial) {
  LayerCall call = random_layer_call(74, {1, 3, 3, 2, 2, 4}, trial.abilities);
  const Matrix<double> before = trial.output(call);
  const RowVector<double> more = RowVector<double>::LinSpaced(8, 1, 2);
  call.weights.b_v += more;
  const RowVector<double> expected = more * call.weights.w_o;
  const Matrix<double> got = trial.output(call) - before;
  return compare("what adding 1 to 2 to the value bias adds to the output",
                 expected.replicate(got.rows(), 1), got,
                 4 * trial.abilities.epsilon);
}
// [value bias passes]

// [heads in order]
// One token looks at itself, so the heads are its values.
std::string heads_in_order(LayerTrial& trial) {
  Abilities square = trial.abilities;
  square.any_width = square.biases = false;
  LayerCall call = random_layer_call(75, {1, 1, 1, 2, 2, 2}, square);
  call.x << 1, 2, 3, 4;
  call.weights.w_v.setIdentity();
  call.weights.w_o << 1, 0, 0, 0,  // 1 goes to column 0
      0, 0, 1, 0,                  // 2 to column 2
      0, 0, 0, 1,                  // 3 to column 3
      0, 1, 0, 0;                  // 4 to column 1
  Matrix<double> expected(1, 4);
  expected << 1, 4, 2, 3;
  return compare("heads (1, 2) and (3, 4), their columns sent to columns "
                 "0, 2, 3 and 1", expected, trial.output(call),
                 trial.abilities.epsilon);
}
// [heads in order]

// [all of x]
// Equal scores, and w_o the identity: the heads come out as they are.
std::string all_of_x(LayerTrial& trial) {
  Abilities square = trial.abilities;
  square.any_width = square.biases = false;
  LayerCall call = random_layer_call(76, {1, 3, 3, 2, 2, 3}, square);
  call.weights.w_q.setZero();
  call.weights.w_o.setIdentity();
  const Matrix<double> before = trial.output(call);
  for (Index c = 0; c < call.x.cols(); ++c) {
    LayerCall other = call;
    other.x.col(c).array() += 1;
    const Matrix<double> after = trial.output(other);
    for (Index h = 0; h < 2; ++h) {
      if (differ(before.middleCols(3 * h, 3), after.middleCols(3 * h, 3),
                 trial.abilities.epsilon)) continue;
      return fmt::format("column {} of x was changed, and head {} did not "
                         "change", c, h);
    }
  }
  return "";
}
// [all of x]

// [layer refuses]
std::string layer_refuses(LayerTrial& trial) {
  Abilities square = trial.abilities;
  square.any_width = false;
  LayerCall call = random_layer_call(77, {1, 2, 2, 1, 1, 8}, square);
  call.n_heads = call.n_kv_heads = 3;
  try {
    trial.output(call);
  } catch (const std::invalid_argument&) {
    return "";
  }
  return "8 columns for 3 heads: accepted without a word";
}
// [layer refuses]

// [describe layer]
std::string describe_layer(const LayerCall& call) {
  const LayerWeights<double>& w = call.weights;
  std::string text = fmt::format(
      "batch {}, T_q {}, d_model {}, n_heads {}, n_kv_heads {}, w_q {} x {}, "
      "w_o {} x {}", call.batch, call.x.rows() / call.batch, call.x.cols(),
      call.n_heads, call.n_kv_heads, w.w_q.rows(), w.w_q.cols(), w.w_o.rows(),
      w.w_o.cols());
  if (call.memory.size() != 0) {
    text += fmt::format(", memory {} x {}", call.memory.rows(),
                        call.memory.cols());
  }
  return text;
}
// [describe layer]

}  // namespace

// [layer checks list]
const std::vector<LayerCheck>& layer_checks() {
  using A = Abilities;
  static const std::vector<LayerCheck> all = {
      {"a layer equals the definition, projections and biases included",
       layer_equals},
      {"the query bias is used, once", query_bias, {&A::biases}},
      {"the value bias is used, once", value_bias, {&A::biases}},
      {"the output bias is used, once", output_bias, {&A::biases}},
      {"the key bias changes no output", key_bias, {&A::biases}},
      {"what is added to the value bias passes straight through",
       value_bias_passes, {&A::biases}},
      {"w_o reads the heads in order and is not transposed", heads_in_order},
      {"every head reads every column of x", all_of_x},
      {"a layer refuses a head count that does not divide its width",
       layer_refuses, {&A::refuses}}};
  return all;
}
// [layer checks list]

// [check layer]
BatteryReport check_projections(const LayerFunction& layer,
                                const Abilities& abilities) {
  BatteryReport report;
  for (const LayerCheck& check : layer_checks()) {
    LayerTrial trial{layer, abilities};
    report.results.push_back(
        make_check({check.sentence, "05f_your_own_layer",
                    has_all(check.needs, abilities)},
                   [&] { return check.find(trial); },
                   [&] { return describe_layer(trial.asked); }));
  }
  return report;
}

BatteryReport check_layer(const LayerFunction& layer,
                          const Abilities& abilities) {
  Abilities inside = abilities;
  inside.weights = inside.training = inside.refuses = inside.hidden_nan = false;
  inside.widest = std::min<Index>(inside.widest, 64);  // projections take time
  BatteryReport report = check_attention(attention_of_layer(layer), inside);
  for (CheckResult& one : check_projections(layer, abilities).results)
    report.results.push_back(std::move(one));
  return report;
}
// [check layer]

}  // namespace mha
