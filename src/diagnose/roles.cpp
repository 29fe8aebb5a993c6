// Which tensor of a file is what, by the names that programs use.
#include "reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace diagnose {
namespace {

// How a matrix of weights is stored.
enum class Stored { as_it_is, out_in };

struct Alias {
  std::string name;
  std::string role;
  Stored stored = Stored::as_it_is;
};

const std::vector<Alias>& aliases() {
  using S = Stored;
  static const std::vector<Alias> all = {
      {"q", "q"}, {"query", "q"}, {"queries", "q"}, {"Q", "q"},
      {"k", "k"}, {"key", "k"}, {"keys", "k"}, {"K", "k"},
      {"v", "v"}, {"value", "v"}, {"values", "v"}, {"V", "v"},
      {"out", "out"}, {"output", "out"}, {"attn_output", "out"}, {"o", "out"},
      {"x", "x"}, {"input", "x"}, {"hidden_states", "x"}, {"x_q", "x"},
      {"x_kv", "x_kv"}, {"memory", "x_kv"},
      {"w_q", "w_q"}, {"W_q", "w_q"}, {"W_Q", "w_q"}, {"wq", "w_q"},
      {"w_k", "w_k"}, {"W_k", "w_k"}, {"W_K", "w_k"}, {"wk", "w_k"},
      {"w_v", "w_v"}, {"W_v", "w_v"}, {"W_V", "w_v"}, {"wv", "w_v"},
      {"w_o", "w_o"}, {"W_o", "w_o"}, {"W_O", "w_o"}, {"wo", "w_o"},
      {"q_proj.weight", "w_q", S::out_in}, {"q_proj_weight", "w_q", S::out_in},
      {"wq.weight", "w_q", S::out_in}, {"query.weight", "w_q", S::out_in},
      {"k_proj.weight", "w_k", S::out_in}, {"k_proj_weight", "w_k", S::out_in},
      {"wk.weight", "w_k", S::out_in}, {"key.weight", "w_k", S::out_in},
      {"v_proj.weight", "w_v", S::out_in}, {"v_proj_weight", "w_v", S::out_in},
      {"wv.weight", "w_v", S::out_in}, {"value.weight", "w_v", S::out_in},
      {"o_proj.weight", "w_o", S::out_in},
      {"out_proj.weight", "w_o", S::out_in}, {"wo.weight", "w_o", S::out_in},
      {"in_proj_weight", "w_in", S::out_in},
      {"qkv.weight", "w_in", S::out_in}, {"c_attn.weight", "w_in"},
      {"c_proj.weight", "w_o"},
      {"b_q", "b_q"}, {"q_proj.bias", "b_q"}, {"query.bias", "b_q"},
      {"b_k", "b_k"}, {"k_proj.bias", "b_k"}, {"key.bias", "b_k"},
      {"b_v", "b_v"}, {"v_proj.bias", "b_v"}, {"value.bias", "b_v"},
      {"b_o", "b_o"}, {"out_proj.bias", "b_o"}, {"o_proj.bias", "b_o"},
      {"c_proj.bias", "b_o"},
      {"in_proj_bias", "b_in"}, {"qkv.bias", "b_in"}, {"c_attn.bias", "b_in"},
      {"mask", "mask"}, {"attn_mask", "mask"},
      {"padding", "padding"}, {"attention_mask", "padding"},
      {"key_padding_mask", "hidden"},
      {"bias", "bias"}, {"attn_bias", "bias"}, {"alibi", "bias"},
      {"n_heads", "n_heads"}, {"num_heads", "n_heads"},
      {"num_attention_heads", "n_heads"},
      {"n_kv_heads", "n_kv_heads"}, {"num_key_value_heads", "n_kv_heads"},
      {"causal", "causal"}, {"is_causal", "causal"}, {"scale", "scale"}};
  return all;
}

// An alias is the whole name, or what follows a dot, as in a checkpoint.
const Alias* alias_of(const std::string& name) {
  const Alias* best = nullptr;
  for (const Alias& alias : aliases()) {
    const bool ends =
        name == alias.name ||
        (name.size() > alias.name.size() + 1 &&
         name.compare(name.size() - alias.name.size() - 1, std::string::npos,
                      "." + alias.name) == 0);
    if (ends && (!best || alias.name.size() > best->name.size())) {
      best = &alias;
    }
  }
  return best;
}

void transpose(Tensor& tensor) {
  if (tensor.shape.size() != 2) return;
  const Index rows = tensor.shape[0], cols = tensor.shape[1];
  std::vector<double> other(tensor.values.size());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      other[static_cast<std::size_t>(j * rows + i)] =
          tensor.values[static_cast<std::size_t>(i * cols + j)];
    }
  }
  tensor.values = std::move(other);
  std::swap(tensor.shape[0], tensor.shape[1]);
}

Index whole(double number, const std::string& what) {
  if (!(number >= 1 && number <= 1e6 && number == std::floor(number))) {
    throw ReadingProblem(fmt::format(
        "{} is {}; it must be a whole number from 1 to 1000000", what,
        number));
  }
  return static_cast<Index>(number);
}

void say(Told& told, const std::string& role, double number,
         const std::string& name) {
  if (role == "n_heads") {
    if (!told.n_heads) told.n_heads = whole(number, name);
  } else if (role == "n_kv_heads") {
    if (!told.n_kv_heads) told.n_kv_heads = whole(number, name);
  } else if (role == "causal") {
    if (!told.causal) told.causal = number != 0;
  } else if (role == "scale") {
    if (!std::isfinite(number)) {
      throw ReadingProblem(fmt::format(
          "{} is {}; a scale is a finite number", name, number));
    }
    if (!told.scale) told.scale = number;
  }
}

bool is_setting(const std::string& role) {
  return role == "n_heads" || role == "n_kv_heads" || role == "causal" ||
         role == "scale";
}

// "true", "false" or a number.
double number_in(const std::string& text, const std::string& name) {
  if (text == "true" || text == "True") return 1;
  if (text == "false" || text == "False" || text == "none") return 0;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    throw ReadingProblem(fmt::format(
        "the file's metadata say {} = \"{:.40}\"; write a number, true or "
        "false", name, text));
  }
  return number;
}

std::string names_in(const TensorFile& file) {
  std::string names;
  std::size_t shown = 0;
  for (const auto& [name, info] : file.tensors()) {
    if (++shown > 8) return names + ", ...";
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "nothing" : names;
}

void need(const Roles& roles, const TensorFile& file, const std::string& role,
          const std::string& why) {
  if (roles.tensors.count(role) != 0) return;
  throw ReadingProblem(fmt::format(
      "the file has no tensor called {} ({}); it has {}", role, why,
      names_in(file)));
}

}  // namespace

Roles find_roles(TensorFile& file, const Told& told) {
  Roles roles;
  roles.told = told;
  std::map<std::string, std::string> named;  // role to the tensor's name
  for (const auto& [name, info] : file.tensors()) {
    const Alias* alias = alias_of(name);
    if (!alias) continue;
    const auto [at, first] = named.emplace(alias->role, name);
    if (!first) {
      throw ReadingProblem(fmt::format(
          "both {} and {} could be {}; leave one of them out", at->second,
          name, alias->role));
    }
  }
  for (const auto& [role, name] : named) {
    Tensor tensor = file.read(name);
    if (is_setting(role)) {
      if (tensor.values.size() != 1) {
        throw ReadingProblem(fmt::format("{} has {} numbers; it must be one",
                                         name, tensor.values.size()));
      }
      say(roles.told, role, tensor.values[0], name);
      continue;
    }
    if (tensor.values.empty()) {
      throw ReadingProblem(fmt::format("{} is empty; there is nothing to "
                                       "compare", name));
    }
    if (alias_of(name)->stored == Stored::out_in) transpose(tensor);
    roles.tensors.emplace(role, std::move(tensor));
  }
  for (const auto& [name, text] : file.metadata()) {
    const Alias* alias = alias_of(name);
    if (alias && is_setting(alias->role)) {
      say(roles.told, alias->role, number_in(text, name), name);
    }
  }
  need(roles, file, "out", "what your attention gave");
  if (roles.tensors.count("x") != 0) {
    if (roles.tensors.count("w_in") == 0) {
      for (const char* role : {"w_q", "w_k", "w_v"}) {
        need(roles, file, role, "weights to go with x; or in_proj_weight");
      }
    }
  } else {
    for (const char* role : {"q", "k", "v"}) {
      need(roles, file, role, "or x, the input of a layer, with its weights");
    }
  }
  return roles;
}

}  // namespace diagnose
