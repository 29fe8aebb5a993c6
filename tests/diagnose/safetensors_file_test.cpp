#include "hostile_bytes.hpp"

#include <doctest/doctest.h>

#include <cmath>

using std::string_literals::operator""s;
using diagnose::contains;
using diagnose::entry;
using diagnose::problem;
using diagnose::safetensors;

namespace {

const std::string eight(8, '\0');

// What is said of a header with 8 bytes behind it.
std::string said(const std::string& header) {
  return problem(safetensors(header, eight));
}

}  // namespace

TEST_CASE("a header and its numbers are read") {
  const std::string bytes =
      safetensors(R"({"__metadata__":{"scale":"0.5"},)"s +
                      entry("q", "F32", "[1,2]", 0, 8) + "}   ",
                  "\0\0\x80\x3f\0\0\0\xc0"s);
  diagnose::TensorFile file = diagnose::open(bytes);
  CHECK(file.metadata().at("scale") == "0.5");
  const diagnose::TensorInfo& info = file.tensors().at("q");
  CHECK(info.shape == std::vector<std::ptrdiff_t>{1, 2});
  CHECK(info.type == diagnose::NumberType::float32);
  CHECK(file.read("q").values == std::vector<double>{1, -2});
}

TEST_CASE("what PyTorch wrote is read as PyTorch means it") {
  const std::string folder = FIXTURES;
  auto file = diagnose::open_tensor_files({folder + "/pytorch.safetensors"});
  CHECK(file.metadata().at("format") == "pt");
  for (const std::string type : {"bfloat16", "float16", "float32"}) {
    CAPTURE(type);
    const diagnose::Tensor ours = file.read("w." + type);
    const std::string name = "pytorch_" + type;
    const diagnose::Tensor theirs =
        diagnose::open_tensor_files({folder + "/" + name + ".npy"}).read(name);
    CHECK(diagnose::name(ours.type) == type);
    REQUIRE(ours.shape == theirs.shape);
    for (std::size_t i = 0; i < theirs.values.size(); ++i) {
      if (std::isnan(theirs.values[i])) {
        CHECK(std::isnan(ours.values[i]));
      } else {
        CHECK(ours.values[i] == theirs.values[i]);
        CHECK(std::signbit(ours.values[i]) == std::signbit(theirs.values[i]));
      }
    }
  }
}

TEST_CASE("an empty tensor may stand between two others") {
  CHECK(said("{"s + entry("a", "F32", "[1]", 0, 4) + "," +
             entry("nothing", "F32", "[0,4]", 4, 4) + "," +
             entry("z", "F32", "[1]", 4, 8) + "}") == "");
  CHECK(problem(safetensors("{}", "")) == "");
  CHECK(problem(safetensors(R"({"__metadata__":null})", "")) == "");
}

TEST_CASE("a hole, an overlap and a remainder are refused") {
  const std::string first = entry("a", "F32", "[1]", 0, 4);
  CHECK(contains(said("{"s + first + "}"),
                 "has 8 bytes of numbers and its header speaks of 4"));
  CHECK(contains(said("{"s + entry("a", "F32", "[1]", 4, 8) + "}"),
                 "a begins at offset 4 where 0 is next: there is a hole"));
  CHECK(
      contains(said("{"s + first + "," + entry("b", "F16", "[3]", 2, 8) + "}"),
               "b begins at offset 2 where 4 is next: two tensors overlap"));
  CHECK(contains(said("{"s + first + "," + entry("b", "F32", "[1]", 0, 4) +
                      "," + entry("c", "F32", "[1]", 4, 8) + "}"),
                 "two tensors overlap"));
  CHECK(contains(said("{"s + entry("a", "F32", "[3]", 0, 12) + "}"),
                 "has 8 bytes of numbers and its header speaks of 12; copy or "
                 "save it again, it is cut short"));
}

TEST_CASE("offsets have to agree with shape and type") {
  CHECK(said("{"s + entry("q", "F64", "[2]", 0, 8) + "}") ==
        "file: q of shape (2,) and type float64 needs 16 bytes, and has the "
        "offsets 0 to 8; save it again");
  CHECK(contains(said("{"s + entry("q", "F32", "[2]", 8, 0) + "}"),
                 "the offsets 8 to 0"));
  CHECK(
      contains(said(R"({"q":{"dtype":"F32","shape":[2],"data_offsets":[0]}})"),
               "1 data_offsets instead of 2"));
}

TEST_CASE("sizes whose product passes 64 bits are refused, beside a 0 too") {
  for (const std::string shape :
       {"[9223372036854775807]", "[4294967296,4294967296]",
        "[4294967296,0,4294967296]"}) {
    CAPTURE(shape);
    CHECK(contains(said("{"s + entry("q", "F32", shape, 0, 8) + "}"),
                   "too large for any memory"));
  }
}

TEST_CASE("only whole numbers from 0 to 2^63 - 1 are sizes") {
  for (const std::string number :
       {"-1", "1.0", "1e2", "9223372036854775808", "18446744073709551616",
        "1e999", "\"1\"", "null", "true", "[1]", "{}"}) {
    CAPTURE(number);
    CHECK(said("{"s + entry("q", "F32", "["s + number + "]", 0, 8) + "}") !=
          "");
  }
  CHECK(contains(said("{"s + entry("q", "F32", "[-1]", 0, 8) + "}"),
                 "q has a negative number where a size or an offset belongs"));
}

TEST_CASE("what is named twice is refused") {
  const std::string q = entry("q", "F32", "[2]", 0, 8);
  CHECK(contains(said("{"s + q + "," + q + "}"), "names q twice"));
  // The same name, spelt with an escape.
  CHECK(contains(
      said("{"s + q + "," + entry("\\u0071", "F32", "[2]", 0, 8) + "}"),
      "names q twice"));
  CHECK(contains(said(R"({"__metadata__":{},"__metadata__":{},)" + q + "}"),
                 "names __metadata__ twice"));
  CHECK(contains(said(R"({"__metadata__":{"a":"1","a":"2"},)" + q + "}"),
                 "has the metadata a twice"));
  CHECK(contains(said(R"({"q":{"dtype":"F32","dtype":"F32","shape":[2],)"
                      R"("data_offsets":[0,8]}})"),
                 "q has two fields dtype"));
}

TEST_CASE("fields that are missing, unknown or misplaced are refused") {
  for (
      const std::string header :
      {R"({"q":{"shape":[2],"data_offsets":[0,8]}})",
       R"({"q":{"dtype":"F32","data_offsets":[0,8]}})",
       R"({"q":{"dtype":"F32","shape":[2]}})",
       R"({"q":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"strides":[]}})",
       R"({"q":{"dtype":["F32"],"shape":[2],"data_offsets":[0,8]}})",
       R"({"q":{"dtype":"F32","shape":"2","data_offsets":[0,8]}})",
       R"({"q":[]})", R"({"q":1})", R"({"q":null})", R"({"q":"F32"})",
       R"({"__metadata__":{"a":1}})", R"({"__metadata__":{"a":{}}})",
       R"({"__metadata__":"a"})", R"({"q":{"dtype":"F32",)", R"({} {})",
       "{\"q\xff\":{}}", "{", "{]"}) {
    CAPTURE(header);
    CHECK(said(header) != "");
  }
}

TEST_CASE("a type that is not read here is named") {
  CHECK(contains(said("{"s + entry("q", "F8_E5M2", "[8]", 0, 8) + "}"),
                 "holds q as F8_E5M2, a type that is not read here; save it as "
                 "float32"));
}

TEST_CASE("nesting a million deep ends at once") {
  CHECK(said(R"({"q":{"shape":)"s + std::string(1'000'000, '[')) != "");
  std::string objects = "{";
  for (int i = 0; i < 1'000'000; ++i) objects += "\"a\":{";
  CHECK(said(objects) != "");
}

TEST_CASE("the header's length is held against the file and the limit") {
  const std::string file = safetensors("{}", "");
  CHECK(contains(problem(diagnose::little_endian(3, 8) + "{}"),
                 "a header of 3 bytes and only 2 bytes after its length"));
  CHECK(contains(problem(diagnose::little_endian(100'000'001, 8) + "{}"),
                 "more than the 100000000 that are allowed"));
  CHECK(contains(problem(std::string(8, '\xff') + "{}"),
                 "a header of 18446744073709551615 bytes"));
  CHECK(problem(file) == "");
}

TEST_CASE("every file that is cut short is refused") {
  const std::string file =
      safetensors("{"s + entry("q", "F32", "[2]", 0, 8) + "}", eight);
  CHECK(problem(file) == "");
  for (std::size_t length = 0; length < file.size(); ++length) {
    CAPTURE(length);
    CHECK(problem(file.substr(0, length)) != "");
  }
}

TEST_CASE("too many dimensions and too many tensors are refused") {
  std::string shape = "[1";
  for (int i = 0; i < 64; ++i) shape += ",1";
  CHECK(contains(said("{"s + entry("q", "F64", shape + "]", 0, 8) + "}"),
                 "more than 64 numbers in its shape"));
  std::string header = "{";
  for (int i = 0; i <= 100'000; ++i) {
    header += entry(std::to_string(i), "F32", "[0]", 0, 0) + ",";
  }
  CHECK(contains(said(header), "more than 100000 tensors"));
}

TEST_CASE("a name from the file cannot steer the terminal") {
  const std::string said_of_name = said(
      "{"s + entry("\\u001b[2J\\n\\u202e\\u0085", "F32", "[3]", 0, 8) + "}");
  CHECK(contains(said_of_name, "\\x1b[2J\\x0a\\xe2\\x80\\xae\\xc2\\x85"));
  CHECK(said_of_name.find('\n') == std::string::npos);
  CHECK(said("{"s + entry(std::string(5000, 'q'), "F32", "[3]", 0, 8) + "}")
            .size() < 500);
}
