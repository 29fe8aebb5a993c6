#include "example.hpp"

#include "diagnosis.hpp"

#include "mha/battery.hpp"
#include "mha/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace diagnose {
namespace {

// What the input of an example has in it.
enum class Setup {
  plain, causal, cached, longer, padding, pairs, bias, scale, shared, layer,
  padding_first, large, negative, wide
};

constexpr Setup setups[] = {
    Setup::plain, Setup::causal, Setup::cached, Setup::longer, Setup::padding,
    Setup::pairs, Setup::bias, Setup::scale, Setup::shared, Setup::layer,
    Setup::padding_first, Setup::large, Setup::negative, Setup::wide};

mha::CallSizes sizes_of(Setup setup) {
  mha::CallSizes sizes = {
      .batch = 2, .t_q = 7, .t_k = 7, .n_heads = 3, .n_kv_heads = 3,
      .d_head = 4};
  if (setup == Setup::cached) sizes.t_q = 3;
  if (setup == Setup::longer) sizes.t_k = 4;
  if (setup == Setup::shared) {
    sizes.n_heads = 4;
    sizes.n_kv_heads = 2;
  }
  if (setup == Setup::layer) {
    sizes.n_heads = sizes.n_kv_heads = 4;
    sizes.d_head = 3;
  }
  if (setup == Setup::wide) sizes.d_head = 64;
  return sizes;
}

void add_masks(Call& call, Setup setup) {
  const Index t_q = tokens_of(call), t_k = keys_of(call);
  if (setup == Setup::causal || setup == Setup::cached ||
      setup == Setup::longer) {
    call.options.causal = mha::Causal::bottom_right;
  }
  if (setup == Setup::padding || setup == Setup::padding_first) {
    call.padding = mha::BoolMatrix::Constant(call.batch, t_k, true);
    if (setup == Setup::padding) {
      call.padding(0, t_k - 1) = false;
      call.padding.row(1).tail(3).setConstant(false);
    } else {
      call.padding.leftCols(4).setConstant(false);
    }
  }
  if (setup == Setup::pairs) {
    mha::BoolMatrix near(t_q, t_k);
    for (Index i = 0; i < t_q; ++i) {
      for (Index j = 0; j < t_k; ++j) near(i, j) = std::abs(i - j) <= 2;
    }
    call.options.pairs = mha::AttendMask::where_true_attends(near);
  }
  if (setup == Setup::bias) {
    call.options.bias = Numbers(t_q, t_k);
    for (Index i = 0; i < t_q; ++i) {
      for (Index j = 0; j < t_k; ++j) {
        call.options.bias(i, j) = -0.5 * static_cast<double>(std::abs(i - j));
      }
    }
  }
  if (setup == Setup::scale) call.options.scale = 0.4;
}

Numbers round_all(Numbers numbers, NumberType type) {
  for (double& x : numbers.reshaped()) x = rounded_to(type, x);
  return numbers;
}

Weights random_weights(std::uint32_t seed, Index width, NumberType type) {
  mha::TorchGenerator generator(seed);
  const auto draw = [&](Index rows, Index cols, double size) -> Numbers {
    return round_all(size * generator.normal(rows, cols).cast<double>(), type);
  };
  Weights w;
  for (Numbers* matrix : {&w.w_q, &w.w_k, &w.w_v, &w.w_o}) {
    *matrix = draw(width, width, 1 / std::sqrt(static_cast<double>(width)));
  }
  for (auto* bias : {&w.b_q, &w.b_k, &w.b_v, &w.b_o}) {
    *bias = draw(1, width, 0.5);
  }
  return w;
}

Reading reading_of(Setup setup, NumberType type, std::uint32_t seed) {
  Reading reading;
  reading.type = type;
  const mha::CallSizes sizes = sizes_of(setup);
  reading.call = mha::random_call(seed, sizes);
  Call& call = reading.call;
  if (setup == Setup::large) call.q *= 1200;
  if (setup == Setup::wide) {  // dot products beyond 65,504, all of them
    call.q = (40 + 4 * call.q.cwiseAbs().array()).matrix();
    call.k = (40 + 4 * call.k.cwiseAbs().array()).matrix();
  }
  if (setup == Setup::negative) {
    call.q = 40 * call.q.cwiseAbs();
    call.k = -40 * (1 + call.k.cwiseAbs().array()).matrix();
  }
  call.q = round_all(call.q, type);
  call.k = round_all(call.k, type);
  call.v = round_all(call.v, type);
  add_masks(call, setup);
  reading.t_q = tokens_of(call);
  reading.t_k = keys_of(call);
  if (setup == Setup::layer) {
    reading.layer = true;
    reading.x_q = reading.x_kv = call.q;
    reading.weights = random_weights(seed + 1, call.q.cols(), type);
  }
  reading.output = call.q;
  return reading;
}

// Rows as (B, T, H, d), which in memory is what rows are.
Tensor tensor_of(const Numbers& rows, std::vector<std::ptrdiff_t> shape,
                 NumberType type) {
  Tensor tensor = {std::move(shape), type, {}};
  for (const double x : rows.reshaped<Eigen::RowMajor>()) {
    tensor.values.push_back(type == NumberType::boolean ? x
                                                        : rounded_to(type, x));
  }
  return tensor;
}

Example example_of(const Reading& reading, const Numbers& output) {
  const Call& call = reading.call;
  const NumberType type = reading.type;
  Example example;
  const Index d = d_head_of(call);
  example.metadata["axes"] = reading.layer ? "btd" : "bthd";
  example.metadata["n_heads"] = std::to_string(call.n_heads);
  example.metadata["causal"] =
      call.options.causal == mha::Causal::none ? "false" : "true";
  if (call.options.scale) {
    example.metadata["scale"] = fmt::format("{}", *call.options.scale);
  }
  if (reading.layer) {
    const Weights& w = reading.weights;
    const auto matrix = [&](const Numbers& m) {
      return tensor_of(m, {m.rows(), m.cols()}, type);
    };
    const auto bias = [&](const mha::RowVector<double>& b) {
      return tensor_of(b, {b.size()}, type);
    };
    example.tensors = {{"w_q", matrix(w.w_q)}, {"w_k", matrix(w.w_k)},
                       {"w_v", matrix(w.w_v)}, {"w_o", matrix(w.w_o)},
                       {"b_q", bias(w.b_q)},   {"b_k", bias(w.b_k)},
                       {"b_v", bias(w.b_v)},   {"b_o", bias(w.b_o)}};
    const std::vector<std::ptrdiff_t> shape = {call.batch, reading.t_q,
                                               reading.x_q.cols()};
    example.tensors["x"] = tensor_of(reading.x_q, shape, type);
    example.tensors["out"] = tensor_of(output, shape, type);
    return example;
  }
  const std::vector<std::ptrdiff_t> q = {call.batch, reading.t_q, call.n_heads,
                                         d};
  const std::vector<std::ptrdiff_t> k = {call.batch, reading.t_k,
                                         call.n_kv_heads, d};
  example.tensors["q"] = tensor_of(call.q, q, type);
  example.tensors["k"] = tensor_of(call.k, k, type);
  example.tensors["v"] = tensor_of(call.v, k, type);
  example.tensors["out"] = tensor_of(output, q, type);
  const auto table = [](const mha::BoolMatrix& bools) {
    const Numbers numbers = bools.cast<double>().matrix();
    return tensor_of(numbers, {bools.rows(), bools.cols()},
                     NumberType::boolean);
  };
  if (mha::is_given(call.padding)) {
    example.tensors["padding"] = table(call.padding);
  }
  if (mha::is_given(call.options.pairs.attends())) {
    example.tensors["mask"] = table(call.options.pairs.attends());
    example.metadata["mask_true"] = "attends";
  }
  if (mha::is_given(call.options.bias)) {
    example.tensors["bias"] =
        tensor_of(call.options.bias, {reading.t_q, reading.t_k}, type);
  }
  return example;
}

std::optional<Hypothesis> hypothesis_named(const std::string& name) {
  if (name == "right") return Hypothesis{};
  std::vector<const Variation*> parts;
  for (std::size_t first = 0; first <= name.size();) {
    const std::size_t end = std::min(name.find('+', first), name.size());
    std::string part = name.substr(first, end - first);
    part.erase(std::remove(part.begin(), part.end(), ' '), part.end());
    const Variation* variation = find_variation(part);
    if (!variation) return {};
    parts.push_back(variation);
    first = end + 1;
  }
  return combine(parts);
}

// The first input on which the hypothesis gives another output.
std::optional<Example> shown_by(const Hypothesis& hypothesis, NumberType type,
                                std::uint32_t seed) {
  for (const Setup setup : setups) {
    const Reading reading = reading_of(setup, type, seed);
    const Traits traits = traits_of(reading);
    const bool to_do = std::all_of(
        hypothesis.parts.begin(), hypothesis.parts.end(),
        [&](const Variation* part) {
          return !part->matters || part->matters(traits);
        });
    if (!to_do) continue;
    Predictor predictor(reading);
    Probe every;
    every.rows.resize(static_cast<std::size_t>(reading.output.rows()));
    std::iota(every.rows.begin(), every.rows.end(), 0);
    const Numbers right = predictor.predict({}, every).output;
    const Numbers output = predictor.predict(hypothesis, every).output;
    if (hypothesis.parts.empty() || relative_error(output, right) > 0.05) {
      return example_of(reading, output);
    }
  }
  return {};
}

}  // namespace

Roles roles_of(const Example& example) {
  Roles roles;
  roles.tensors = example.tensors;
  for (const auto& [name, text] : example.metadata) {
    if (name == "axes") roles.told.layout = text;
    if (name == "n_heads") roles.told.n_heads = std::stoll(text);
    if (name == "causal") roles.told.causal = text == "true";
    if (name == "scale") roles.told.scale = std::stod(text);
    if (name == "mask_true") roles.told.true_attends = text == "attends";
  }
  return roles;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names = {"right"};
  for (const Variation& one : variations()) {
    if (shown_by(*combine({&one}), NumberType::float64, 1)) {
      names.push_back(one.name);
    }
  }
  return names;
}

Example make_example(const std::string& name, NumberType type,
                     std::uint32_t seed) {
  const auto hypothesis = hypothesis_named(name);
  if (!hypothesis) {
    throw ReadingProblem(fmt::format(
        "there is no example {}; --examples lists them, and two that can be "
        "wrong at once are joined with +", name));
  }
  auto example = shown_by(*hypothesis, type, seed);
  if (!example) {
    throw ReadingProblem(fmt::format(
        "no file can show {}: it makes no difference to an output", name));
  }
  return *std::move(example);
}

}  // namespace diagnose
