// What a diagnosis comes to.
#include "diagnose/diagnosis_report.hpp"
#include "diagnose/example.hpp"
#include "diagnose/study.hpp"
#include "diagnose/two_at_once.hpp"

#include "hostile_bytes.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

using diagnose::Diagnosis;
using diagnose::Example;
using diagnose::Finding;
using diagnose::Fit;
using diagnose::Index;
using diagnose::NumberType;
using diagnose::Roles;
using diagnose::Tensor;

namespace {

constexpr NumberType types[] = {NumberType::float16, NumberType::bfloat16,
                                NumberType::float32, NumberType::float64};

// By way of a file.
Diagnosis diagnosis_of(const Example& example) {
  const diagnose::ScratchFolder folder;
  const auto path = folder / "tensors.safetensors";
  diagnose::write_safetensors(path, example.tensors, example.metadata);
  diagnose::TensorFile file = diagnose::open_tensor_files({path});
  return diagnose::diagnose_tensors(diagnose::find_roles(file, {}));
}

bool names(const Diagnosis& diagnosis, const std::string& name) {
  return std::any_of(
      diagnosis.fits.begin(), diagnosis.fits.end(),
      [&](const Fit& fit) { return fit.hypothesis.name() == name; });
}

double& number(Example& example, const std::string& name, Index at) {
  return example.tensors.at(name).values[static_cast<std::size_t>(at)];
}

void fill(Tensor& tensor, double x) {
  std::fill(tensor.values.begin(), tensor.values.end(), x);
}

}  // namespace

TEST_CASE("every example is named, in every type") {
  for (const std::string& name : diagnose::example_names()) {
    if (name == "right") continue;
    for (const NumberType type : types) {
      for (const std::uint32_t seed : {1u, 2u, 3u}) {
        Example example;
        try {
          example = diagnose::make_example(name, type, seed);
        } catch (const diagnose::ReadingProblem&) {
          continue;  // these numbers do not show it in this type
        }
        const Diagnosis diagnosis = diagnosis_of(example);
        CAPTURE(name);
        CAPTURE(diagnose::name(type));
        CAPTURE(seed);
        CHECK(diagnosis.finding == Finding::named);
        CHECK(names(diagnosis, name));
      }
    }
  }
}

TEST_CASE("a right attention is called correct, in every type") {
  for (const NumberType type : types) {
    const Diagnosis diagnosis =
        diagnosis_of(diagnose::make_example("right", type));
    CHECK(diagnosis.finding == Finding::correct);
  }
}

TEST_CASE("two bugs at once are both named") {
  for (const NumberType type : types) {
    CAPTURE(diagnose::name(type));
    CHECK(names(diagnosis_of(diagnose::make_example(
                    "raw-merge+sqrt-d-model", type)),
                "raw-merge + sqrt-d-model"));
  }
}

TEST_CASE("one changed head is found, and no other place") {
  Example example = diagnose::make_example("right");  // (2, 7, 3, 4)
  for (Index t = 0; t < 14; ++t) {
    for (Index c = 0; c < 4; ++c) number(example, "out", t * 12 + 4 + c) += 1;
  }
  const Diagnosis diagnosis = diagnosis_of(example);
  CHECK(diagnosis.finding == Finding::correct_apart);
  CHECK(diagnosis.differences.compared == 168);
  CHECK(diagnosis.differences.differing == 56);
  CHECK(diagnosis.differences.by_column.leftCols(4).isZero(0));
  CHECK(diagnosis.differences.by_column.middleCols(4, 4).minCoeff() == 1);
  CHECK(diagnosis.differences.by_column.rightCols(4).isZero(0));
}

TEST_CASE("one changed row is found, and no other place") {
  Example example = diagnose::make_example("right");
  for (Index c = 0; c < 12; ++c) number(example, "out", 13 * 12 + c) += 1;
  const Diagnosis diagnosis = diagnosis_of(example);
  CHECK(diagnosis.finding == Finding::correct_apart);
  CHECK(diagnosis.differences.differing == 12);
  CHECK(diagnosis.differences.by_row(1, 6) == 1);
  CHECK(diagnosis.differences.by_row.sum() == 1);
}

TEST_CASE("random numbers are none of the known") {
  Example example = diagnose::make_example("right");
  Index at = 0;
  for (double& x : example.tensors.at("out").values) {
    x = static_cast<double>((++at * 7919) % 1009) / 500 - 1;
  }
  CHECK(diagnosis_of(example).finding == Finding::unknown);
}

TEST_CASE("NaN, infinities and zeros are never called correct, nor crash") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {std::nan(""), infinity, -infinity, 0.0}) {
    CAPTURE(x);
    Example example = diagnose::make_example("right");
    fill(example.tensors.at("out"), x);
    const Diagnosis diagnosis = diagnosis_of(example);
    CHECK(diagnosis.finding != Finding::correct);
    const std::string text =
        diagnose::report_json(diagnosis, "a file", NumberType::float32);
    CHECK(nlohmann::json::accept(text));
    for (const char* name : {"q", "k", "v"}) {
      Example input = diagnose::make_example("right");
      number(input, name, 5) = x;
      (void)diagnosis_of(input);
    }
  }
}

TEST_CASE("all zeros in are zeros out, and correct") {
  Example example = diagnose::make_example("right");
  for (const char* name : {"q", "k", "v", "out"}) {
    fill(example.tensors.at(name), 0);
  }
  CHECK(diagnosis_of(example).finding == Finding::correct);
}

TEST_CASE("one token and one head cannot show most bugs, and it is said so") {
  Example example;
  for (const char* name : {"q", "k", "v", "out"}) {
    example.tensors[name] = {{1, 1, 1, 2}, NumberType::float32, {0.5, -1}};
  }
  const Diagnosis diagnosis = diagnosis_of(example);
  CHECK(diagnosis.finding == Finding::correct);
  CHECK(diagnosis.same_here.size() > 20);
}

TEST_CASE("the report for programs is JSON with what the text says") {
  const Diagnosis diagnosis =
      diagnosis_of(diagnose::make_example("raw-merge"));
  const auto json = nlohmann::json::parse(diagnose::report_json(
      diagnosis, "a \"file\"\n\xff", NumberType::float32));
  CHECK(json["finding"] == "named");
  CHECK(json["fits"][0]["name"] == "raw-merge");
  CHECK(json["differences"]["differing"] == 0);
}

TEST_CASE("the picture says in words what it shows") {
  const std::string svg = diagnose::draw_differences(
      diagnosis_of(diagnose::make_example("raw-merge")));
  CHECK(svg.find("<title") != std::string::npos);
  CHECK(svg.find("<desc") != std::string::npos);
  CHECK(svg.find("raw-merge") != std::string::npos);
}

TEST_CASE("where nothing comes near it is said, beside the right attention") {
  Example example = diagnose::make_example("right");
  for (double& x : example.tensors.at("out").values) x = 50 - 100 * x;
  const Diagnosis diagnosis = diagnosis_of(example);
  CHECK(diagnosis.finding == Finding::unknown);
  CHECK(diagnosis.nothing_near);
  CHECK(diagnosis.nearest.size() == 1);
  CHECK(diagnosis.nearest[0].hypothesis.parts.empty());
  CHECK(diagnosis.differences.differing == 168);
  CHECK(diagnose::report(diagnosis, "a file", NumberType::float32)
            .find("nothing comes near") != std::string::npos);
}

TEST_CASE("what one of two threads throws is thrown when both have ended") {
  const auto fail = [] { throw std::runtime_error("no"); };
  bool ended = false;
  CHECK_THROWS_WITH(diagnose::two_at_once(fail, [&] { ended = true; }), "no");
  CHECK(ended);
  ended = false;
  CHECK_THROWS_WITH(diagnose::two_at_once([&] { ended = true; }, fail), "no");
  CHECK(ended);
}

TEST_CASE("a study is the same for the same seed") {
  CHECK(diagnose::study_table(diagnose::study(20, 5)) ==
        diagnose::study_table(diagnose::study(20, 5)));
}
