#include "hostile_bytes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <sys/stat.h>

using std::string_literals::operator""s;
using diagnose::contains;
using diagnose::NumberType;
using diagnose::open_tensor_files;
using diagnose::problem;
using diagnose::ScratchFolder;
using diagnose::Tensor;

namespace fs = std::filesystem;

namespace {

const fs::path fixtures = FIXTURES;

std::string problem_of_file(const fs::path& path) {
  return problem(std::vector<fs::path>{path});
}

std::string one_number(double value) {
  const ScratchFolder folder;
  diagnose::write_npy(folder / "x.npy", {{}, NumberType::float64, {value}});
  return diagnose::file_text(folder / "x.npy");
}

bool same(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && a.type == b.type && a.values == b.values;
}

std::map<std::string, Tensor> one_of_each_type() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {{"float16", {{2, 2}, NumberType::float16, {0.5, -2, infinity, 0}}},
          {"float32", {{3}, NumberType::float32, {0.25, -infinity, 1}}},
          {"float64", {{}, NumberType::float64, {0.1}}},
          {"int8", {{2}, NumberType::int8, {-128, 127}}},
          {"int16", {{1}, NumberType::int16, {-32768}}},
          {"int32", {{1}, NumberType::int32, {-2147483648.0}}},
          {"int64", {{2}, NumberType::int64, {-9007199254740992, 7}}},
          {"uint8", {{1}, NumberType::uint8, {255}}},
          {"uint16", {{1}, NumberType::uint16, {65535}}},
          {"uint32", {{1}, NumberType::uint32, {4294967295}}},
          {"uint64", {{1}, NumberType::uint64, {9007199254740992}}},
          {"mask/\xc3\xa9", {{1, 3}, NumberType::boolean, {1, 0, 1}}},
          {"nothing", {{0, 5}, NumberType::float32, {}}}};
}

void check_round_trip(const fs::path& path,
                      const std::map<std::string, Tensor>& tensors) {
  diagnose::TensorFile file = open_tensor_files({path});
  CHECK(file.tensors().size() == tensors.size());
  for (const auto& named : tensors) {
    CAPTURE(named.first);
    CHECK(same(file.read(named.first), named.second));
  }
}

}  // namespace

TEST_CASE("every type comes back from a safetensors file as it was written") {
  const ScratchFolder folder;
  auto tensors = one_of_each_type();
  tensors["bfloat16"] = {{2}, NumberType::bfloat16, {0.5, -3}};
  diagnose::write_safetensors(folder / "a", tensors, {{"scale", "1/sqrt(d)"}});
  check_round_trip(folder / "a", tensors);
  CHECK(open_tensor_files({folder / "a"}).metadata().at("scale") ==
        "1/sqrt(d)");
}

TEST_CASE("every type comes back from a .npz file as it was written") {
  const ScratchFolder folder;
  diagnose::write_npz(folder / "a.npz", one_of_each_type());
  check_round_trip(folder / "a.npz", one_of_each_type());
}

TEST_CASE("every type comes back from a .npy file as it was written") {
  const ScratchFolder folder;
  for (const auto& named : one_of_each_type()) {
    CAPTURE(named.first);
    diagnose::write_npy(folder / "x.npy", named.second);
    CHECK(same(open_tensor_files({folder / "x.npy"}).read("x"), named.second));
  }
}

TEST_CASE("our .npy files are those of NumPy, byte for byte") {
  const ScratchFolder folder;
  for (const std::string name : {"float16_rows", "float32_rows", "float64_rows",
                                 "bool", "int64", "scalar", "nothing"}) {
    CAPTURE(name);
    const fs::path theirs = fixtures / (name + ".npy");
    diagnose::write_npy(folder / "x.npy",
                        open_tensor_files({theirs}).read(name));
    CHECK(diagnose::file_text(folder / "x.npy") == diagnose::file_text(theirs));
  }
}

TEST_CASE("a NaN is read and written like any other number") {
  const ScratchFolder folder;
  for (const NumberType type : {NumberType::float16, NumberType::bfloat16,
                                NumberType::float32, NumberType::float64}) {
    diagnose::write_safetensors(folder / "a",
                                {{"x", {{1}, type, {std::nan("")}}}});
    CHECK(std::isnan(open_tensor_files({folder / "a"}).read("x").values[0]));
  }
}

TEST_CASE("bfloat16 goes to no NumPy file, and the old file stays") {
  const ScratchFolder folder;
  const Tensor tensor{{1}, NumberType::bfloat16, {1}};
  folder.write("x.npy", "old");
  CHECK_THROWS_AS(diagnose::write_npy(folder / "x.npy", tensor),
                  diagnose::TensorFileProblem);
  CHECK_THROWS_AS(diagnose::write_npz(folder / "x.npz", {{"x", tensor}}),
                  diagnose::TensorFileProblem);
  CHECK(diagnose::file_text(folder / "x.npy") == "old");
}

TEST_CASE("values that do not fill their shape are not written") {
  const ScratchFolder folder;
  for (const Tensor& tensor :
       {Tensor{{2}, NumberType::float32, {1}},
        Tensor{{-1, -1}, NumberType::float32, {1}},
        Tensor{{std::ptrdiff_t{1} << 32, std::ptrdiff_t{1} << 32},
               NumberType::float32,
               {}}}) {
    CHECK_THROWS_AS(diagnose::write_safetensors(folder / "x", {{"x", tensor}}),
                    diagnose::TensorFileProblem);
  }
}

TEST_CASE("what cannot be written says so and leaves nothing behind") {
  const ScratchFolder folder;
  const Tensor tensor{{1}, NumberType::float32, {1}};
  fs::create_directories(folder / "taken/inside");
  for (const std::string name : {"no folder/x", "taken"}) {
    CAPTURE(name);
    const fs::path path = folder / name;
    CHECK_THROWS_AS(diagnose::write_npy(path, tensor),
                    diagnose::TensorFileProblem);
    CHECK_THROWS_AS(diagnose::write_npz(path, {{"x", tensor}}),
                    diagnose::TensorFileProblem);
    CHECK_THROWS_AS(diagnose::write_safetensors(path, {{"x", tensor}}),
                    diagnose::TensorFileProblem);
  }
  CHECK_THROWS_AS(diagnose::write_npz(folder / "x", {}),
                  diagnose::TensorFileProblem);
  CHECK_THROWS_AS(diagnose::write_npz(folder / "x", {{"\xff", tensor}}),
                  diagnose::TensorFileProblem);
  CHECK_THROWS_AS(diagnose::write_safetensors(folder / "x", {{"\xff", tensor}}),
                  diagnose::TensorFileProblem);
  CHECK_THROWS_AS(
      diagnose::write_safetensors(folder / "x", {{"__metadata__", tensor}}),
      diagnose::TensorFileProblem);
  CHECK(std::distance(fs::directory_iterator(folder / ""),
                      fs::directory_iterator()) == 1);
}

TEST_CASE("the same tensors make the same bytes") {
  const ScratchFolder folder;
  diagnose::write_npz(folder / "a.npz", one_of_each_type());
  diagnose::write_npz(folder / "b.npz", one_of_each_type());
  const std::string text = diagnose::file_text(folder / "a.npz");
  CHECK(text == diagnose::file_text(folder / "b.npz"));
  // Midnight on the first day of 1980, whenever they are written.
  CHECK(text.substr(10, 4) == "\0\0\x21\0"s);
}

TEST_CASE("a folder gives its .npy files by their names") {
  const ScratchFolder folder;
  folder.write("q.npy", one_number(1));
  folder.write("weights.k.npy", one_number(2));
  folder.write("notes.txt", "notes");
  diagnose::TensorFile file = open_tensor_files({folder / ""});
  CHECK(file.tensors().size() == 2);
  CHECK(file.read("q").values[0] == 1);
  CHECK(file.read("weights.k").values[0] == 2);
}

TEST_CASE("a folder without .npy files says what to give") {
  const ScratchFolder folder;
  CHECK(contains(problem_of_file(folder / ""),
                 "is a folder without .npy files; give the one that has them"));
}

TEST_CASE("files that are called alike go by their folders as well") {
  const ScratchFolder folder;
  const fs::path mine = folder.write("mine/q.npy", one_number(1));
  const fs::path theirs = folder.write("theirs/q.npy", one_number(2));
  const fs::path deep = folder.write("again/mine/q.npy", one_number(3));
  const fs::path other = folder.write("mine/k.npy", one_number(4));
  diagnose::TensorFile two = open_tensor_files({mine, theirs, other});
  CHECK(two.read("mine/q").values[0] == 1);
  CHECK(two.read("theirs/q").values[0] == 2);
  CHECK(two.read("k").values[0] == 4);
  diagnose::TensorFile three = open_tensor_files({mine, theirs, deep});
  CHECK(three.tensors().size() == 3);
  CHECK(three.read("again/mine/q").values[0] == 3);
  CHECK(contains(problem(std::vector{mine, other, mine}), "is given twice"));
}

TEST_CASE("formats are told by content and not by the ending") {
  const ScratchFolder folder;
  diagnose::write_npz(folder / "a.npy", one_of_each_type());
  check_round_trip(folder / "a.npy", one_of_each_type());
  diagnose::write_safetensors(folder / "a.npz", one_of_each_type());
  check_round_trip(folder / "a.npz", one_of_each_type());
}

TEST_CASE("several files have to be .npy files") {
  const ScratchFolder folder;
  const fs::path q = folder.write("q.npy", one_number(1));
  diagnose::write_npz(folder / "a.npz", one_of_each_type());
  CHECK(contains(problem(std::vector{q, folder / "a.npz"}),
                 "a.npz: is no .npy file; give .npy files only"));
}

TEST_CASE("what people have instead is named, with what to do") {
  const std::string rest(100, 'x');
  for (const auto& other : std::vector<std::pair<std::string, std::string>>{
           {"GGUF\3\0\0\0{"s, "is a GGUF file"},
           {"\x89HDF\r\n\x1a\n", "is an HDF5 file"},
           {"\x80\2\x8a\n", "is a Python pickle"},
           {"\x1f\x8b", "gunzip"},
           {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
           {"<!DOCTYPE html>", "is a web page"},
           {"no such thing", "is no .safetensors, .npz or .npy file"}}) {
    CAPTURE(other.second);
    const std::string said = problem(other.first + rest);
    CHECK(contains(said, other.second));
    CHECK(contains(said, "; "));
  }
  CHECK(problem("") == "file: is empty; save it again");
}

TEST_CASE("a name that is no file is refused at once") {
  const ScratchFolder folder;
  CHECK(contains(problem_of_file(folder / "none"), "is not there"));
  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(contains(problem_of_file(pipe), "is not a file"));
  CHECK(contains(problem_of_file("/dev/zero"), "is not a file"));
  CHECK(contains(problem(std::vector<fs::path>{}), "no file is given"));
}

TEST_CASE("a file name cannot break the line") {
  const std::string said = problem_of_file("no\nsuch\x1b[2Jfile");
  CHECK(contains(said, "no\\x0asuch\\x1b[2Jfile: is not there"));
}

TEST_CASE("a tensor that is not there is answered with those that are") {
  diagnose::TensorFile file = open_tensor_files({fixtures / "stored.npz"});
  CHECK_THROWS_WITH_AS(file.read("Q"), doctest::Contains("k, mask/causal, q"),
                       diagnose::TensorFileProblem);
}

TEST_CASE("no more numbers are read than the limit allows, all in all") {
  diagnose::TensorFile file = open_tensor_files({fixtures / "stored.npz"}, 12);
  CHECK_THROWS_WITH_AS(file.read("k"), doctest::Contains("24 numbers in k"),
                       diagnose::TensorFileProblem);
  CHECK_NOTHROW(file.read("q"));
  CHECK_NOTHROW(file.read("mask/causal"));
  CHECK_THROWS_AS(file.read("q"), diagnose::TensorFileProblem);
}

TEST_CASE("a file that shrinks after it was opened is noticed") {
  const ScratchFolder folder;
  diagnose::write_npy(folder / "x.npy", {{2}, NumberType::float64, {1, 2}});
  diagnose::TensorFile file = open_tensor_files({folder / "x.npy"});
  fs::resize_file(folder / "x.npy", fs::file_size(folder / "x.npy") - 1);
  CHECK_THROWS_WITH_AS(file.read("x"), doctest::Contains("cut short"),
                       diagnose::TensorFileProblem);
}
