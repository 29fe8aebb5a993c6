#include "hostile_bytes.hpp"

#include <doctest/doctest.h>

using std::string_literals::operator""s;
using diagnose::contains;
using diagnose::npy;
using diagnose::npy_dict;
using diagnose::problem;

namespace {

const std::string folder = FIXTURES;

diagnose::Tensor fixture(const std::string& name) {
  return diagnose::open_tensor_files({folder + "/" + name + ".npy"}).read(name);
}

std::string problem_of_fixture(const std::string& name) {
  return problem(std::vector<std::filesystem::path>{folder + "/" + name});
}

const std::vector<double> rows = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5};

}  // namespace

TEST_CASE("what numpy.save wrote is read, in each floating-point type") {
  for (const std::string bits : {"16", "32", "64"}) {
    CAPTURE(bits);
    const diagnose::Tensor tensor = fixture("float" + bits + "_rows");
    CHECK(diagnose::name(tensor.type) == "float" + bits);
    CHECK(tensor.shape == std::vector<std::ptrdiff_t>{2, 3});
    CHECK(tensor.values == rows);
  }
  CHECK(fixture("version_2").values == rows);
}

TEST_CASE("an array in Fortran order is read row by row") {
  const std::string text = diagnose::file_text(folder + "/columns.npy");
  REQUIRE(contains(text, "'fortran_order': True"));
  const diagnose::Tensor tensor = fixture("columns");
  REQUIRE(tensor.shape == std::vector<std::ptrdiff_t>{2, 3, 4});
  std::vector<double> expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) expected.push_back(100 * i + 10 * j + k);
  CHECK(tensor.values == expected);
}

TEST_CASE(
    "numpy's bools, whole numbers, single numbers and nothings are read") {
  CHECK(fixture("bool").values == std::vector<double>{1, 0, 1});
  CHECK(fixture("bool").type == diagnose::NumberType::boolean);
  CHECK(fixture("int64").values ==
        std::vector<double>{-9007199254740992, -1, 0, 9007199254740992});
  CHECK(fixture("scalar").shape.empty());
  CHECK(fixture("scalar").values ==
        std::vector<double>{static_cast<double>(0.1f)});
  CHECK(fixture("nothing").shape == std::vector<std::ptrdiff_t>{0, 3});
  CHECK(fixture("nothing").values.empty());
}

TEST_CASE("arrays that are no little-endian numbers are refused with advice") {
  CHECK(contains(problem_of_fixture("big_endian.npy"),
                 "holds big-endian numbers; save it as little-endian, with "
                 "x.astype('<f4')"));
  CHECK(contains(problem_of_fixture("objects.npy"), "holds Python objects"));
  CHECK(contains(problem_of_fixture("complex.npy"), "holds complex numbers"));
  CHECK(contains(problem_of_fixture("text.npy"), "holds text"));
  CHECK(contains(problem_of_fixture("records.npy"), "holds records"));
  CHECK(contains(problem(npy(npy_dict("<V2", "(1,)"), "xx")),
                 "perhaps bfloat16"));
  CHECK(contains(problem(npy(npy_dict("<f16", "(1,)"), std::string(16, 'x'))),
                 "the type <f16"));
  CHECK(contains(problem(npy(npy_dict("<M8[ns]", "(1,)"), std::string(8, 'x'))),
                 "the type <M8[ns]"));
}

TEST_CASE("a dict spelt otherwise is read as Python reads it") {
  const std::string one(4, '\0');
  for (const std::string dict :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
        "{'descr':'<f4','fortran_order':False,'shape':(1,)}\n",
        "{\"shape\": (1 , ), \"descr\": \"<f4\", \"fortran_order\": True}   \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, )}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()}"}) {
    CAPTURE(dict);
    CHECK(problem(npy(dict, one)) == "");
  }
}

TEST_CASE("a header that is not such a dict is refused") {
  const std::string one(4, '\0');
  for (const std::string dict :
       {"",
        "{",
        "{}",
        "[]",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'shape': (1,)}",
        "{'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (+1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
        "'shape': (1,)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': __import__('os'), 'shape': (1,)}"}) {
    CAPTURE(dict);
    CHECK(problem(npy(dict, one)) != "");
  }
}

TEST_CASE("shapes that no memory holds are refused before any is asked for") {
  for (const std::string shape :
       {"(9223372036854775807,)", "(9223372036854775808,)",
        "(4294967296, 4294967296)", "(4294967296, 0, 4294967296)",
        "(1000000000000,)"}) {
    CAPTURE(shape);
    CHECK(problem(npy(npy_dict("<f4", shape), "1234")) != "");
    CHECK(problem(npy(npy_dict("<f4", shape, "True"), "1234")) != "");
  }
  std::string shape = "(";
  for (int i = 0; i < 65; ++i) shape += "1,";
  CHECK(contains(problem(npy(npy_dict("<f4", shape + ")"), "1234")),
                 "more than 64 dimensions"));
}

TEST_CASE("a header's length and version are held against their limits") {
  const std::string dict = npy_dict("<f4", "(1,)");
  CHECK(problem(npy(dict, "1234", 2)) == "");
  CHECK(problem(npy(dict, "1234", 3)) == "");
  CHECK(contains(problem(npy(dict, "1234", 4)), "is of version 4.0"));
  CHECK(contains(problem(npy(dict, "1234", 0)), "is of version 0.0"));
  CHECK(problem(npy(dict + std::string(10'000 - dict.size(), ' '), "1234")) ==
        "");
  CHECK(contains(
      problem(npy(dict + std::string(10'001 - dict.size(), ' '), "1234")),
      "has a header of 10001 bytes, more than the 10000"));
  CHECK(contains(problem("\x93NUMPY\2\0\xff\xff\xff\xff"s),
                 "has a header of 4294967295 bytes"));
}

TEST_CASE("a .npy file has its array's bytes, no fewer and no more") {
  const std::string file = npy(npy_dict("<f4", "(2,)"), "12345678");
  CHECK(problem(file) == "");
  CHECK(contains(problem(file + file), "save each array in a file of its own"));
  for (std::size_t length = 0; length < file.size(); ++length) {
    CAPTURE(length);
    CHECK(problem(file.substr(0, length)) != "");
  }
}
