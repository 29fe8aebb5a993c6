#include "reading.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace diagnose {
namespace {

using mha::BoolMatrix;

// A query's row of scores for every key, as a table of bools.
constexpr Index most_pairs = Index{1} << 27;

std::string shape_text(const Tensor& tensor) {
  return fmt::format("({})", fmt::join(tensor.shape, ", "));
}

// Sizes by letter: b, t, h and d; what a layout lacks is 1.
struct Axes {
  Index b = 1, t = 1, h = 1, d = 1;

  Index& operator[](char letter) {
    return letter == 'b' ? b : letter == 't' ? t : letter == 'h' ? h : d;
  }
};

Axes axes_of(const Tensor& tensor, const std::string& layout) {
  Axes axes;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    axes[layout[i]] = tensor.shape[i];
  }
  return axes;
}

bool has_rank(const Tensor& tensor, const std::string& layout) {
  return tensor.shape.size() == layout.size();
}

// (b t, h d), whatever the order of the axes.
Numbers to_rows(const Tensor& tensor, const std::string& layout) {
  Axes size = axes_of(tensor, layout), stride;
  stride.b = stride.t = stride.h = stride.d = 0;
  Index step = 1;
  for (std::size_t i = layout.size(); i-- > 0;) {
    stride[layout[i]] = step;
    step *= tensor.shape[i];
  }
  Numbers rows(size.b * size.t, size.h * size.d);
  for (Index b = 0; b < size.b; ++b)
    for (Index t = 0; t < size.t; ++t)
      for (Index h = 0; h < size.h; ++h)
        for (Index c = 0; c < size.d; ++c) {
          rows(b * size.t + t, h * size.d + c) =
              tensor.values[static_cast<std::size_t>(
                  b * stride.b + t * stride.t + h * stride.h + c * stride.d)];
        }
  return rows;
}

Numbers matrix_of(const Tensor& tensor, const std::string& name) {
  if (tensor.shape.size() != 2) {
    throw ReadingProblem(fmt::format("{} is {}; it must have two axes", name,
                                     shape_text(tensor)));
  }
  return to_rows(tensor, "td");
}

mha::RowVector<double> vector_of(const Roles& roles, const std::string& name) {
  const auto found = roles.tensors.find(name);
  if (found == roles.tensors.end()) return {};
  return Eigen::Map<const mha::RowVector<double>>(
      found->second.values.data(),
      static_cast<Index>(found->second.values.size()));
}

const Tensor& role(const Roles& roles, const std::string& name) {
  return roles.tensors.at(name);
}

bool has(const Roles& roles, const std::string& name) {
  return roles.tensors.count(name) != 0;
}

// The layout of the output that goes with one of the queries.
std::optional<std::string> output_layout(const Roles& roles,
                                         const std::string& layout,
                                         const Axes& q, Index width) {
  const Tensor& out = role(roles, "out");
  const bool sequence_first = layout[0] == 't' && layout.size() > 2 &&
                              layout[1] == 'b';
  std::vector<std::string> candidates;
  if (layout.find('h') != std::string::npos) candidates = {layout};
  for (const char* other : {"bthd", "bhtd", "thd", "htd"}) {
    if (!sequence_first) candidates.push_back(other);
  }
  candidates.push_back(sequence_first ? "tbd" : "btd");
  if (q.b == 1 || out.shape.size() == 2) candidates.push_back("td");
  for (const std::string& one : candidates) {
    if (!has_rank(out, one)) continue;
    Axes axes = axes_of(out, one);
    const bool flat = one.find('h') == std::string::npos;
    if (one == "td" && axes.t == q.b * q.t && axes.d == width) return one;
    if (axes.b == q.b && axes.t == q.t &&
        (flat ? axes.d == width : axes.h == q.h && axes.h * axes.d == width)) {
      return one;
    }
  }
  return {};
}

struct Heads {
  Index n_heads, n_kv_heads;
};

// All ways to cut rows of these widths, as far as it is not said.
std::vector<Heads> head_counts(const Told& told, Index width, Index kv_width) {
  std::vector<Heads> all;
  for (Index h = 1; h <= width; ++h) {
    if (width % h != 0 || (told.n_heads && *told.n_heads != h)) continue;
    const Index d = width / h;
    if (kv_width % d != 0) continue;
    const Index g = kv_width / d;
    if (g == 0 || h % g != 0 || (told.n_kv_heads && *told.n_kv_heads != g)) {
      continue;
    }
    all.push_back({h, g});
  }
  // The likeliest first: heads 64 or 128 wide, then from wide to narrow.
  std::stable_sort(all.begin(), all.end(), [&](const Heads& a, const Heads& b) {
    const auto usual = [&](const Heads& one) {
      const Index d = width / one.n_heads;
      return d == 64 ? 0 : d == 128 ? 1 : d == 32 ? 2 : 3;
    };
    return usual(a) < usual(b);
  });
  return all;
}

// The parts of the projections, as one.
Weights weights_of(const Roles& roles) {
  Weights w;
  if (has(roles, "w_in")) {
    const Numbers packed = matrix_of(role(roles, "w_in"), "the packed weights");
    Index width = packed.cols() / 3;
    if (has(roles, "w_o")) width = role(roles, "w_o").shape[0];
    const Index kv = (packed.cols() - width) / 2;
    if (width < 1 || kv < 1 || width + 2 * kv != packed.cols()) {
      throw ReadingProblem(fmt::format(
          "the packed weights have {} outputs, which are not queries, keys and "
          "values of a layer that is {} wide", packed.cols(), width));
    }
    w.w_q = packed.leftCols(width);
    w.w_k = packed.middleCols(width, kv);
    w.w_v = packed.rightCols(kv);
    const auto bias = vector_of(roles, "b_in");
    if (bias.size() != 0 && bias.size() != packed.cols()) {
      throw ReadingProblem(fmt::format("the packed bias has {} entries, but "
                                       "the weights have {} outputs",
                                       bias.size(), packed.cols()));
    }
    if (bias.size() != 0) {
      w.b_q = bias.head(width);
      w.b_k = bias.segment(width, kv);
      w.b_v = bias.tail(kv);
    }
  } else {
    w.w_q = matrix_of(role(roles, "w_q"), "w_q");
    w.w_k = matrix_of(role(roles, "w_k"), "w_k");
    w.w_v = matrix_of(role(roles, "w_v"), "w_v");
    w.b_q = vector_of(roles, "b_q");
    w.b_k = vector_of(roles, "b_k");
    w.b_v = vector_of(roles, "b_v");
  }
  w.w_o = has(roles, "w_o")
              ? matrix_of(role(roles, "w_o"), "w_o")
              : Numbers(Numbers::Identity(w.w_q.cols(), w.w_q.cols()));
  w.b_o = vector_of(roles, "b_o");
  return w;
}

void check_weights(const Weights& w, Index d_model, Index d_key) {
  const auto fits = [](Index a, Index b, const std::string& what) {
    if (a == b) return;
    throw ReadingProblem(fmt::format("{}: {} and {}; are the weights stored "
                                     "as (in, out)?", what, a, b));
  };
  fits(w.w_q.rows(), d_model, "rows of w_q and width of x differ");
  fits(w.w_k.rows(), d_key, "rows of w_k and width of the keys' x differ");
  fits(w.w_v.rows(), d_key, "rows of w_v and width of the keys' x differ");
  fits(w.w_k.cols(), w.w_v.cols(), "columns of w_k and w_v differ");
  fits(w.w_o.rows(), w.w_q.cols(), "rows of w_o and columns of w_q differ");
  const auto bias = [&](const mha::RowVector<double>& b, Index n,
                        const std::string& name) {
    if (b.size() != 0) fits(b.size(), n, "entries of " + name + " and columns");
  };
  bias(w.b_q, w.w_q.cols(), "b_q");
  bias(w.b_k, w.w_k.cols(), "b_k");
  bias(w.b_v, w.w_v.cols(), "b_v");
  bias(w.b_o, w.w_o.cols(), "b_o");
}

// Where keys and values are, for a layout of the queries.
bool keys_fit(const Tensor& k, const Tensor& v, const std::string& layout,
              const Axes& q) {
  if (!has_rank(k, layout) || !has_rank(v, layout)) return false;
  const Axes key = axes_of(k, layout), value = axes_of(v, layout);
  const bool flat = layout.find('h') == std::string::npos;
  return k.shape == v.shape && key.b == q.b && value.b == q.b &&
         (flat || (key.d == q.d && key.h > 0 && q.h % key.h == 0));
}

std::vector<std::string> layouts_of(const Tensor& tensor, bool layer) {
  switch (tensor.shape.size()) {
    case 2: return {"td"};
    case 3:
      if (layer) return {"btd", "tbd"};
      return {"btd", "tbd", "htd", "thd"};
    case 4:
      if (layer) return {};
      return {"bthd", "bhtd", "tbhd"};
    default: return {};
  }
}

bool has_bool_mask(const Roles& roles) {
  if (!has(roles, "mask")) return false;
  const NumberType type = role(roles, "mask").type;
  return type != NumberType::float16 && type != NumberType::bfloat16 &&
         type != NumberType::float32 && type != NumberType::float64;
}

// Causal or not, and both meanings of a mask, unless it is said.
void add_plans(std::vector<ReadingPlan>& plans, const Roles& roles,
               const ReadingPlan& plan) {
  for (const bool causal : {false, true}) {
    if (roles.told.causal && *roles.told.causal != causal) continue;
    for (const bool attends : {true, false}) {
      if (!attends && !has_bool_mask(roles)) continue;
      if (roles.told.true_attends && *roles.told.true_attends != attends) {
        continue;
      }
      ReadingPlan one = plan;
      one.causal = causal;
      one.true_attends = attends;
      plans.push_back(one);
    }
  }
}

std::string why_none(const Roles& roles, bool layer) {
  std::string text;
  for (const char* name : {"q", "k", "v", "x", "x_kv", "out", "mask",
                           "padding", "hidden", "bias"}) {
    if (has(roles, name)) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                          shape_text(role(roles, name)));
    }
  }
  if (roles.told.n_heads) {
    text += fmt::format(", {} heads", *roles.told.n_heads);
  }
  if (roles.told.n_kv_heads) {
    text += fmt::format(", {} key/value heads", *roles.told.n_kv_heads);
  }
  if (!roles.told.layout.empty()) {
    text += fmt::format(", axes {}", roles.told.layout);
  }
  return text + (layer ? " do not fit each other; x is (B, T, d_model), (T, B, "
                         "d_model) or (T, d_model)"
                       : " do not fit each other; q is (B, T, H, d), (B, H, T, "
                         "d), (B, T, H d), (T, B, H d) or (T, H d)");
}

// ---- masks

// Whether every mask has a shape that goes with these sizes.
bool masks_fit(const Roles& roles, Index b, Index t_q, Index t_k) {
  const auto is = [&](const char* name, Index rows, Index cols) {
    if (!has(roles, name)) return true;
    Index entries = 1;
    for (const Index size : role(roles, name).shape) entries *= size;
    const std::vector<std::ptrdiff_t>& shape = role(roles, name).shape;
    return entries == rows * cols && shape.back() == cols;
  };
  return is("padding", b, t_k) && is("hidden", b, t_k) &&
         is("bias", t_q, t_k) &&
         (is("mask", t_q, t_k) || (has_bool_mask(roles) && is("mask", b, t_k)));
}

// A mask without axes of size 1 in front or between.
Tensor squeezed(Tensor mask) {
  while (mask.shape.size() > 2) {
    const auto one = std::find(mask.shape.begin(), mask.shape.end(), 1);
    if (one == mask.shape.end()) {
      throw ReadingProblem(fmt::format(
          "the mask is {}; give one for all items and heads, (T_q, T_k), or a "
          "padding, (B, T_k)", shape_text(mask)));
    }
    mask.shape.erase(one);
  }
  if (mask.shape.size() == 1) mask.shape.insert(mask.shape.begin(), 1);
  return mask;
}

BoolMatrix table_of(const Tensor& mask, bool attends) {
  BoolMatrix table(mask.shape[0], mask.shape[1]);
  for (Index i = 0; i < table.size(); ++i) {
    table.data()[i] =
        (mask.values[static_cast<std::size_t>(i)] != 0) == attends;
  }
  return table;
}

void need_shape(const Tensor& mask, const std::string& name, Index rows,
                Index cols) {
  if (mask.shape[0] == rows && mask.shape[1] == cols) return;
  throw ReadingProblem(fmt::format("{} is {}, but should be ({}, {})", name,
                                   shape_text(mask), rows, cols));
}

void add_padding(Reading& reading, const Tensor& given, bool attends) {
  const Tensor mask = squeezed(given);
  need_shape(mask, "the padding", reading.call.kv_batch, reading.t_k);
  reading.call.padding = table_of(mask, attends);
}

void add_bias(Reading& reading, const Tensor& given) {
  const Tensor mask = squeezed(given);
  need_shape(mask, "the mask of numbers", reading.t_q, reading.t_k);
  reading.call.options.bias = to_rows(mask, "td");
}

void add_masks(Reading& reading, const Roles& roles, const ReadingPlan& plan) {
  if (has(roles, "padding")) add_padding(reading, role(roles, "padding"), true);
  if (has(roles, "hidden")) add_padding(reading, role(roles, "hidden"), false);
  if (has(roles, "bias")) add_bias(reading, role(roles, "bias"));
  if (has(roles, "mask")) {
    const Tensor mask = squeezed(role(roles, "mask"));
    if (!has_bool_mask(roles)) {
      add_bias(reading, mask);
    } else if (mask.shape[0] == reading.t_q && mask.shape[1] == reading.t_k) {
      reading.call.options.pairs = mha::AttendMask::where_true_attends(
          table_of(mask, plan.true_attends));
    } else {
      add_padding(reading, mask, plan.true_attends);
    }
  }
  if (plan.causal) {
    reading.call.options.causal = mha::Causal::bottom_right;
  }
  reading.call.options.scale = roles.told.scale;
}

// By the bits of their numbers, most first.
int coarseness(NumberType type) {
  switch (type) {
    case NumberType::bfloat16: return 3;
    case NumberType::float16: return 2;
    case NumberType::float64: return 0;
    default: return 1;
  }
}

NumberType coarser(NumberType a, NumberType b) {
  return coarseness(a) < coarseness(b) ? b : a;
}

// What was computed in fewer bits than it is saved in gives itself away: every
// number has only these bits.
NumberType type_of_numbers(const Tensor& tensor) {
  const std::vector<double>& all = tensor.values;
  if (std::none_of(all.begin(), all.end(), [](double x) {
        return std::isfinite(x) && x != 0;
      })) {
    return tensor.type;
  }
  for (const NumberType type :
       {NumberType::bfloat16, NumberType::float16, NumberType::float32}) {
    const bool fits = std::all_of(all.begin(), all.end(), [&](double x) {
      return !std::isfinite(x) || rounded_to(type, x) == x;
    });
    if (fits) return coarser(type, tensor.type);
  }
  return tensor.type;
}

}  // namespace

NumberType computed_type(const Roles& roles) {
  const Tensor& out = role(roles, "out");
  if (roles.told.type) return coarser(*roles.told.type, out.type);
  NumberType type = type_of_numbers(out);
  for (const auto& [name, tensor] : roles.tensors) {
    if (name == "mask" || name == "padding" || name == "hidden") continue;
    type = coarser(type, tensor.type);
  }
  return type;
}

namespace {

// "(B, T, H, d)"
std::string layout_text(const std::string& layout) {
  std::string text;
  const bool flat = layout.find('h') == std::string::npos;
  for (const char letter : layout) {
    text += text.empty() ? "" : ", ";
    if (letter == 'd' && flat) {
      text += "width";
    } else {
      text += letter == 'd' ? 'd' : static_cast<char>(letter - 32);
    }
  }
  return "(" + text + ")";
}

std::string description(const Reading& reading, const Roles& roles,
                        const ReadingPlan& plan) {
  std::string text = layout_text(plan.layout);
  text += fmt::format(", {} head{}", plan.n_heads,
                      plan.n_heads == 1 ? "" : "s");
  if (plan.n_kv_heads != plan.n_heads) {
    text += fmt::format(" with {} key/value head{}", plan.n_kv_heads,
                        plan.n_kv_heads == 1 ? "" : "s");
  }
  text += plan.causal ? ", causal" : ", not causal";
  if (has_bool_mask(roles)) {
    text += plan.true_attends ? ", true in the mask attends"
                              : ", true in the mask hides";
  }
  if (reading.call.options.scale) {
    text += fmt::format(", scale {:g}", *reading.call.options.scale);
  }
  if (reading.type != role(roles, "out").type) {
    text += fmt::format(", computed in {}", name(reading.type));
  }
  return text;
}

}  // namespace

double rounded_to(NumberType type, double x) {
  switch (type) {
    case NumberType::float16:
      return static_cast<double>(
          static_cast<Eigen::half>(static_cast<float>(x)));
    case NumberType::bfloat16:
      return static_cast<double>(
          static_cast<Eigen::bfloat16>(static_cast<float>(x)));
    case NumberType::float64:
      return x;
    default:
      return static_cast<double>(static_cast<float>(x));
  }
}

double squared_distance(const Numbers& a, const Numbers& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const double x = a(i, j), y = b(i, j);
      if (std::isnan(x) != std::isnan(y)) return infinity;
      if (std::isnan(x) || x == y) continue;
      sum += (x - y) * (x - y);
    }
  }
  return std::isfinite(sum) ? sum : infinity;
}

double squared_size(const Numbers& numbers) {
  double sum = 0;
  for (const double x : numbers.reshaped<Eigen::RowMajor>()) {
    if (std::isfinite(x)) sum += x * x;
  }
  return sum;
}

double relative_error(const Numbers& a, const Numbers& b) {
  const double distance = squared_distance(a, b);
  return distance == 0 ? 0 : std::sqrt(distance / squared_size(b));
}

Traits traits_of(const Reading& reading) {
  const mha::AttentionOptions& options = reading.call.options;
  return {options.causal != mha::Causal::none,
          mha::is_given(options.pairs.attends()),
          mha::is_given(reading.call.padding),
          mha::is_given(options.bias),
          options.scale.has_value(),
          reading.layer,
          reading.call.n_kv_heads < reading.call.n_heads,
          reading.call.batch > 1};
}

const std::vector<std::string>& layouts() {
  static const std::vector<std::string> all = {"bthd", "bhtd", "tbhd", "btd",
                                               "tbd",  "htd",  "thd",  "td"};
  return all;
}

bool is_layout(const std::string& text) {
  return std::count(layouts().begin(), layouts().end(), text) != 0;
}

std::vector<ReadingPlan> plans(const Roles& roles) {
  std::vector<ReadingPlan> all;
  const bool layer = has(roles, "x");
  const Tensor& first = role(roles, layer ? "x" : "q");
  const Weights w = layer ? weights_of(roles) : Weights{};
  if (layer) {
    const Tensor& x_kv = role(roles, has(roles, "x_kv") ? "x_kv" : "x");
    check_weights(w, first.shape.back(), x_kv.shape.back());
  }
  for (const std::string& layout : layouts_of(first, layer)) {
    if (!roles.told.layout.empty() && roles.told.layout != layout) continue;
    const Axes q = axes_of(first, layout);
    const bool flat = layout.find('h') == std::string::npos;
    std::vector<Heads> counts;
    if (layer) {
      if (has(roles, "x_kv") &&
          (!has_rank(role(roles, "x_kv"), layout) ||
           axes_of(role(roles, "x_kv"), layout).b != q.b)) {
        continue;
      }
      if (!output_layout(roles, layout, q, w.w_o.cols())) continue;
      counts = head_counts(roles.told, w.w_q.cols(), w.w_k.cols());
    } else {
      const Tensor &k = role(roles, "k"), &v = role(roles, "v");
      if (!keys_fit(k, v, layout, q)) continue;
      if (!output_layout(roles, layout, q, q.h * q.d)) continue;
      const Axes key = axes_of(k, layout);
      counts = flat ? head_counts(roles.told, q.d, key.d)
                    : std::vector<Heads>{{q.h, key.h}};
      if (!flat && ((roles.told.n_heads && *roles.told.n_heads != q.h) ||
                    (roles.told.n_kv_heads &&
                     *roles.told.n_kv_heads != key.h))) {
        continue;
      }
    }
    const char* keys = !layer ? "k" : has(roles, "x_kv") ? "x_kv" : "x";
    if (!masks_fit(roles, q.b, q.t, axes_of(role(roles, keys), layout).t)) {
      continue;
    }
    for (const Heads& heads : counts) {
      add_plans(all, roles, {layout, heads.n_heads, heads.n_kv_heads});
    }
  }
  if (all.empty()) throw ReadingProblem(why_none(roles, layer));
  return all;
}

Reading read_so(const Roles& roles, const ReadingPlan& plan) {
  Reading reading;
  reading.layer = has(roles, "x");
  const Tensor& first = role(roles, reading.layer ? "x" : "q");
  const Axes q = axes_of(first, plan.layout);
  reading.t_q = reading.t_k = q.t;
  reading.call.batch = reading.call.kv_batch = q.b;
  reading.call.n_heads = plan.n_heads;
  reading.call.n_kv_heads = plan.n_kv_heads;
  Index width = q.h * q.d;
  if (reading.layer) {
    reading.weights = weights_of(roles);
    reading.x_q = to_rows(first, plan.layout);
    const Tensor& x_kv = role(roles, has(roles, "x_kv") ? "x_kv" : "x");
    reading.x_kv = to_rows(x_kv, plan.layout);
    reading.t_k = axes_of(x_kv, plan.layout).t;
    width = reading.weights.w_o.cols();
    // Sizes, for whoever asks before anything is projected.
    reading.call.q.resize(reading.x_q.rows(), reading.weights.w_q.cols());
    reading.call.k.resize(reading.x_kv.rows(), reading.weights.w_k.cols());
  } else {
    reading.call.q = to_rows(first, plan.layout);
    reading.call.k = to_rows(role(roles, "k"), plan.layout);
    reading.call.v = to_rows(role(roles, "v"), plan.layout);
    reading.t_k = axes_of(role(roles, "k"), plan.layout).t;
  }
  if (reading.t_q > most_pairs / reading.t_k) {
    throw ReadingProblem(fmt::format(
        "{} queries and {} keys are {:.2g} pairs, more than {}; give fewer "
        "tokens", reading.t_q, reading.t_k,
        static_cast<double>(reading.t_q) * static_cast<double>(reading.t_k),
        most_pairs));
  }
  reading.output = to_rows(
      role(roles, "out"), *output_layout(roles, plan.layout, q, width));
  reading.type = computed_type(roles);
  add_masks(reading, roles, plan);
  reading.description = description(reading, roles, plan);
  return reading;
}

}  // namespace diagnose
