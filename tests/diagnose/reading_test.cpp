// How the tensors of a file are read.
#include "diagnose/diagnosis.hpp"
#include "diagnose/example.hpp"

#include "hostile_bytes.hpp"

#include <doctest/doctest.h>

#include <cmath>

using diagnose::Finding;
using diagnose::Index;
using diagnose::NumberType;
using diagnose::Tensor;
using diagnose::Told;
using Tensors = std::map<std::string, Tensor>;
using Metadata = std::map<std::string, std::string>;

namespace {

diagnose::Roles roles_of(const Tensors& tensors, const Metadata& metadata = {},
                         const Told& told = {}) {
  const diagnose::ScratchFolder folder;
  const auto path = folder / "tensors.safetensors";
  diagnose::write_safetensors(path, tensors, metadata);
  diagnose::TensorFile file = diagnose::open_tensor_files({path});
  return diagnose::find_roles(file, told);
}

Finding finding_of(const Tensors& tensors, const Metadata& metadata = {},
                   const Told& told = {}) {
  return diagnose::diagnose_tensors(roles_of(tensors, metadata, told)).finding;
}

std::string problem_of(const Tensors& tensors, const Metadata& metadata = {},
                       const Told& told = {}) {
  try {
    (void)diagnose::plans(roles_of(tensors, metadata, told));
  } catch (const diagnose::ReadingProblem& problem) {
    const std::string text = problem.what();
    CHECK(text.find('\n') == std::string::npos);
    return text;
  }
  return "no problem";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Tensor zeros(std::vector<std::ptrdiff_t> shape,
             NumberType type = NumberType::float32) {
  Tensor tensor = {std::move(shape), type, {}};
  tensor.values.assign(
      static_cast<std::size_t>(diagnose::number_count(tensor.shape)), 0);
  return tensor;
}

// (B, T, H, d) = (2, 7, 3, 4).
Tensors plain() { return diagnose::make_example("right").tensors; }

// The layer that goes with the bug, made right: weights w_q, ..., x and out.
diagnose::Example layer() {
  diagnose::Example example = diagnose::make_example("b-o-forgotten");
  diagnose::Roles roles = roles_of(example.tensors, example.metadata);
  const diagnose::Reading reading =
      diagnose::read_so(roles, diagnose::plans(roles)[0]);
  diagnose::Predictor predictor(reading);
  diagnose::Probe every;
  for (Index i = 0; i < reading.output.rows(); ++i) every.rows.push_back(i);
  const diagnose::Numbers right = predictor.predict({}, every).output;
  example.tensors["out"].values.assign(right.data(),
                                       right.data() + right.size());
  return example;
}

Tensor transposed(const Tensor& m) {
  Tensor other = {{m.shape[1], m.shape[0]}, m.type, {}};
  for (Index j = 0; j < m.shape[1]; ++j) {
    for (Index i = 0; i < m.shape[0]; ++i) {
      other.values.push_back(
          m.values[static_cast<std::size_t>(i * m.shape[1] + j)]);
    }
  }
  return other;
}

// Two tensors, one below the other.
Tensor below(const Tensor& a, const Tensor& b) {
  Tensor both = a;
  both.shape[0] += b.shape[0];
  both.values.insert(both.values.end(), b.values.begin(), b.values.end());
  return both;
}

// The axes b t h d of an example in another order.
Tensor reordered(const Tensor& from, const std::string& order) {
  const std::string first = "bthd";
  Tensor to = {{}, from.type, {}};
  std::vector<std::size_t> axis;
  for (const char letter : order) axis.push_back(first.find(letter));
  for (const std::size_t a : axis) to.shape.push_back(from.shape[a]);
  std::vector<Index> at(4);
  for (Index n = 0; n < std::ssize(from.values); ++n) {
    Index rest = n;
    for (std::size_t i = 4; i-- > 0;) {
      at[axis[i]] = rest % to.shape[i];
      rest /= to.shape[i];
    }
    Index place = 0;
    for (std::size_t i = 0; i < 4; ++i) place = place * from.shape[i] + at[i];
    to.values.push_back(from.values[static_cast<std::size_t>(place)]);
  }
  return to;
}

Tensors in_order(const std::string& order) {
  Tensors tensors = plain();
  for (auto& [name, tensor] : tensors) tensor = reordered(tensor, order);
  return tensors;
}

// The last two axes as one.
Tensors flat(Tensors tensors) {
  for (auto& [name, tensor] : tensors) {
    const Index d = tensor.shape.back();
    tensor.shape.pop_back();
    tensor.shape.back() *= d;
  }
  return tensors;
}

}  // namespace

TEST_CASE("every order of axes is found, told or not") {
  for (const std::string order : {"bthd", "bhtd", "tbhd"}) {
    CAPTURE(order);
    CHECK(finding_of(in_order(order)) == Finding::correct);
    CHECK(finding_of(in_order(order), {{"axes", order}}) == Finding::correct);
  }
  CHECK(finding_of(flat(in_order("bthd"))) == Finding::correct);
  CHECK(finding_of(flat(in_order("tbhd"))) == Finding::correct);
  CHECK(finding_of(flat(in_order("tbhd")), {{"axes", "btd"}}) !=
        Finding::correct);
}

TEST_CASE("the number of heads is found among those that divide the width") {
  const auto roles = roles_of(flat(plain()), {{"axes", "btd"}});
  std::vector<Index> heads;
  for (const auto& plan : diagnose::plans(roles)) {
    if (plan.n_heads == plan.n_kv_heads && !plan.causal) {
      heads.push_back(plan.n_heads);
    }
  }
  std::sort(heads.begin(), heads.end());
  CHECK(heads == std::vector<Index>{1, 2, 3, 4, 6, 12});
}

TEST_CASE("PyTorch's names and orientation are understood") {
  const diagnose::Example one = layer();
  CHECK(finding_of(one.tensors, one.metadata) == Finding::correct);
  Tensors torch = {{"x", one.tensors.at("x")}, {"out", one.tensors.at("out")}};
  Tensors apart = torch, packed = torch;
  for (const std::string part : {"q", "k", "v"}) {
    apart[part + "_proj.weight"] = transposed(one.tensors.at("w_" + part));
    apart[part + "_proj.bias"] = one.tensors.at("b_" + part);
  }
  packed["in_proj_weight"] =
      below(below(apart["q_proj.weight"], apart["k_proj.weight"]),
            apart["v_proj.weight"]);
  packed["in_proj_bias"] = below(
      below(apart["q_proj.bias"], apart["k_proj.bias"]), apart["v_proj.bias"]);
  for (Tensors* tensors : {&apart, &packed}) {
    (*tensors)["out_proj.weight"] = transposed(one.tensors.at("w_o"));
    (*tensors)["out_proj.bias"] = one.tensors.at("b_o");
    CHECK(finding_of(*tensors, one.metadata) == Finding::correct);
  }
  Tensors in_checkpoint;
  for (const auto& [name, tensor] : packed) {
    in_checkpoint["layers.0.self_attn." + name] = tensor;
  }
  CHECK(finding_of(in_checkpoint, one.metadata) == Finding::correct);
}

TEST_CASE("what is missing or named twice is said") {
  Tensors tensors = plain();
  tensors.erase("out");
  CHECK(says(problem_of(tensors), "no tensor called out"));
  tensors = plain();
  tensors.erase("v");
  CHECK(says(problem_of(tensors), "no tensor called v"));
  tensors = plain();
  tensors["query"] = tensors["q"];
  CHECK(says(problem_of(tensors), "both q and query"));
  CHECK(says(problem_of({{"x", zeros({1, 2, 4})}, {"out", zeros({1, 2, 4})}}),
             "no tensor called w_q"));
  tensors = plain();
  tensors["q"] = zeros({2, 0, 3, 4});
  CHECK(says(problem_of(tensors), "q is empty"));
}

TEST_CASE("sizes that contradict each other are said in one line") {
  Tensors tensors = plain();
  tensors["k"] = zeros({2, 7, 3, 5});
  CHECK(says(problem_of(tensors), "do not fit each other"));
  tensors = plain();
  tensors["out"] = zeros({2, 6, 3, 4});
  CHECK(says(problem_of(tensors), "do not fit each other"));
  tensors = plain();
  tensors["mask"] = zeros({5, 5}, NumberType::boolean);
  CHECK(says(problem_of(tensors), "do not fit each other"));
  CHECK(says(problem_of(plain(), {{"n_heads", "5"}}), "5 heads"));
  CHECK(says(problem_of({{"x", zeros({1, 2, 4})}, {"w_q", zeros({3, 4})},
                         {"w_k", zeros({4, 4})}, {"w_v", zeros({4, 4})},
                         {"out", zeros({1, 2, 4})}}),
             "rows of w_q"));
}

TEST_CASE("settings in the metadata are used, and refused when they make no "
          "sense") {
  const diagnose::Example causal = diagnose::make_example("causal-forgotten");
  CHECK(causal.metadata.at("causal") == "true");
  CHECK(finding_of(causal.tensors, causal.metadata) == Finding::named);
  // Without it, an attention that hides nothing is right.
  CHECK(finding_of(causal.tensors) == Finding::correct);
  const diagnose::Example scale = diagnose::make_example("scale-from-d-head");
  CHECK(finding_of(scale.tensors, scale.metadata) == Finding::named);
  CHECK(finding_of(scale.tensors) == Finding::correct);
  CHECK(says(problem_of(plain(), {{"n_heads", "many"}}), "n_heads"));
  CHECK(says(problem_of(plain(), {{"n_heads", "-1"}}), "n_heads"));
  CHECK(says(problem_of(plain(), {{"scale", "nan"}}), "finite"));
  CHECK(says(problem_of(plain(), {{"axes", "hdtb"}}), "axes"));
  CHECK(says(problem_of(plain(), {{"mask_true", "maybe"}}), "mask_true"));
}

TEST_CASE("what the reader says goes before what the file says") {
  const diagnose::Example causal = diagnose::make_example("causal-forgotten");
  Told told;
  told.causal = false;
  CHECK(finding_of(causal.tensors, causal.metadata, told) == Finding::correct);
}

TEST_CASE("true in a key_padding_mask hides, in a padding it attends") {
  const diagnose::Example example = diagnose::make_example("padding-inverted");
  Tensors tensors = example.tensors;
  // Read the wrong way round, it would be correct.
  CHECK(finding_of(tensors) == Finding::named);
  Tensor hidden = tensors.at("padding");
  for (double& x : hidden.values) x = 1 - x;
  tensors.erase("padding");
  tensors["key_padding_mask"] = hidden;
  const auto found = diagnose::diagnose_tensors(roles_of(tensors));
  CHECK(found.finding == Finding::named);
  CHECK(found.fits[0].hypothesis.name() == "padding-inverted");
}

TEST_CASE("a mask is taken as (T_q, T_k), (1, 1, T_q, T_k) or (B, T_k)") {
  const diagnose::Example pairs = diagnose::make_example("pairs-forgotten");
  for (const bool four_axes : {false, true}) {
    Tensors tensors = pairs.tensors;
    if (four_axes) tensors["mask"].shape = {1, 1, 7, 7};
    CHECK(finding_of(tensors, pairs.metadata) == Finding::named);
  }
  diagnose::Example padding = diagnose::make_example("padding-forgotten");
  padding.tensors["mask"] = padding.tensors["padding"];
  padding.tensors.erase("padding");
  CHECK(finding_of(padding.tensors, {{"mask_true", "attends"}}) ==
        Finding::named);
}

TEST_CASE("a mask of numbers is added") {
  diagnose::Example example = diagnose::make_example("bias-forgotten");
  example.tensors["mask"] = example.tensors["bias"];
  example.tensors.erase("bias");
  CHECK(finding_of(example.tensors) == Finding::named);
}
