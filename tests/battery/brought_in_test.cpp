// What a reader brings in: pointers, layers and caches, and what is refused.
#include "mutable_programs.hpp"

#include "mha/pointer_attention.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace {

// The sentence of every check that failed, a line each.
std::string failures(const mha::BatteryReport& report) {
  std::string all;
  for (const mha::CheckResult& one : report.results)
    if (one.fault) all += one.sentence + "\n";
  return all;
}

}  // namespace

TEST_CASE("a place that is never written is NaN, not what was there before") {
  const auto attention = mha::from_pointers(
      [](const float*, const float*, const float*, float*,
         const mha::PointerSizes<float>&) {},
      mha::PointerLayout::batch_token_head);
  const auto answer = attention(mha::random_call(1, {.t_q = 2, .d_head = 2}));
  CHECK(answer.output.array().isNaN().all());
}

TEST_CASE("pointers refuse a mask of pairs and say what to switch off") {
  const auto attention = mha::from_pointers(
      [](const double*, const double*, const double*, double*,
         const mha::PointerSizes<double>&) {},
      mha::PointerLayout::batch_token_head);
  mha::AttentionCall call = mha::random_call(1, {.t_q = 2, .d_head = 2});
  call.options.pairs = mha::AttendMask::where_true_attends(
      mha::BoolMatrix::Constant(2, 2, true));
  CHECK_THROWS_WITH_AS(
      attention(call),
      "an attention on pointers takes a causal mask, padding and a bias; set "
      "pairs = false in its abilities",
      std::invalid_argument);
}

TEST_CASE("a layer's attention is the definition for the book's own layer") {
  const mha::LayerFunction layer = mha::layer_by_definition;
  for (const mha::CallSizes& sizes :
       {mha::CallSizes{2, 3, 3, 4, 2, 3}, {1, 2, 5, 3, 3, 2}}) {
    const mha::AttentionCall call = mha::random_call(3, sizes);
    CHECK((mha::attention_of_layer(layer)(call).output -
           mha::by_definition(call)).cwiseAbs().maxCoeff() <= 1e-14);
  }
}

TEST_CASE("the library's layer passes, one item and as many heads as keys") {
  const mha::BatteryReport report = mha::check_layer(
      [](const mha::LayerCall& call) {
        const mha::MultiHeadAttention<double> layer(call.weights, call.n_heads);
        const auto& source = call.memory.size() == 0 ? call.x : call.memory;
        return layer.forward(call.x, source, source, call.options).output;
      },
      {.padding = false, .batches = false, .shared_heads = false});
  CHECK_MESSAGE(report.passed(), report);
}

TEST_CASE("a layer that adds the output bias once a head is told so") {
  const mha::BatteryReport report =
      mha::check_layer([](const mha::LayerCall& call) {
        mha::Matrix<double> output = mutants::plain_layer(
            call, mutants::Mutator(mutants::Mutant{}));
        if (call.weights.b_o.size() > 0) {
          output.rowwise() +=
              static_cast<double>(call.n_heads - 1) * call.weights.b_o;
        }
        return output;
      });
  CHECK(failures(report) ==
        "a layer equals the definition, projections and biases included\n"
        "the output bias is used, once\n");
  CHECK(mha::to_string(report).find("it is added 3 times") !=
        std::string::npos);
}

TEST_CASE("a report names an error that was thrown, and makes other checks") {
  const mha::BatteryReport report = mha::check_attention(
      [](const mha::AttentionCall&) -> mha::AttentionAnswer {
        throw std::runtime_error("out of memory on the device");
      });
  CHECK(report.failed() == report.made());
  CHECK(mha::to_string(report).find("out of memory on the device") !=
        std::string::npos);
}
