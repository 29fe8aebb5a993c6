#include "hostile_bytes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using std::string_literals::operator""s;
using diagnose::NumberType;
using diagnose::Tensor;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The number that a file holds in these bits.
double read_bits(const std::string& dtype, std::uint64_t bits, int bytes) {
  const std::string header =
      "{"s +
      diagnose::entry("x", dtype, "[]", 0, static_cast<std::uint64_t>(bytes)) +
      "}";
  const std::string file =
      diagnose::safetensors(header, diagnose::little_endian(bits, bytes));
  return diagnose::open(file).read("x").values.at(0);
}

// The last bytes of a file in which a number was written.
std::string written_bits(NumberType type, double value, std::size_t bytes) {
  const diagnose::ScratchFolder folder;
  diagnose::write_safetensors(folder / "x", {{"x", {{}, type, {value}}}});
  const std::string text = diagnose::file_text(folder / "x");
  return text.substr(text.size() - bytes);
}

bool writes(NumberType type, double value, std::uint64_t bits) {
  return written_bits(type, value, 2) == diagnose::little_endian(bits, 2);
}

}  // namespace

TEST_CASE("the bits of float16 mean what IEEE 754 says") {
  CHECK(read_bits("F16", 0x3c00, 2) == 1.0);
  CHECK(read_bits("F16", 0xc000, 2) == -2.0);
  CHECK(read_bits("F16", 0x7bff, 2) == 65504.0);
  CHECK(read_bits("F16", 0x0400, 2) == std::ldexp(1.0, -14));
  CHECK(read_bits("F16", 0x03ff, 2) == std::ldexp(1023.0, -24));
  CHECK(read_bits("F16", 0x0001, 2) == std::ldexp(1.0, -24));
  CHECK(read_bits("F16", 0x7c00, 2) == infinity);
  CHECK(read_bits("F16", 0xfc00, 2) == -infinity);
  CHECK(std::isnan(read_bits("F16", 0x7e00, 2)));
  CHECK(std::signbit(read_bits("F16", 0x8000, 2)));
}

TEST_CASE("the bits of bfloat16 are the upper half of a float32's") {
  CHECK(read_bits("BF16", 0x3f80, 2) == 1.0);
  CHECK(read_bits("BF16", 0x3dcd, 2) == 0.10009765625);
  CHECK(read_bits("BF16", 0x0001, 2) == std::ldexp(1.0, -133));
  CHECK(read_bits("BF16", 0x7f80, 2) == infinity);
  CHECK(read_bits("BF16", 0xff80, 2) == -infinity);
  CHECK(std::isnan(read_bits("BF16", 0x7fc0, 2)));
  CHECK(std::signbit(read_bits("BF16", 0x8000, 2)));
}

TEST_CASE("every float16 and bfloat16 is written as it was read") {
  for (const NumberType type : {NumberType::float16, NumberType::bfloat16}) {
    const std::string dtype = type == NumberType::float16 ? "F16" : "BF16";
    std::string all;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      all += diagnose::little_endian(bits, 2);
    }
    const std::string header =
        "{"s + diagnose::entry("x", dtype, "[65536]", 0, 131072) + "}";
    const std::string file = diagnose::safetensors(header, all);
    const Tensor read = diagnose::open(file).read("x");
    const diagnose::ScratchFolder folder;
    diagnose::write_safetensors(folder / "x", {{"x", read}});
    const std::string text = diagnose::file_text(folder / "x");
    const std::string data = text.substr(text.size() - all.size());
    int different = 0;
    for (std::size_t i = 0; i < read.values.size(); ++i) {
      const bool is_same = data.substr(2 * i, 2) == all.substr(2 * i, 2);
      if (!is_same && !std::isnan(read.values[i])) ++different;
    }
    CHECK(different == 0);
  }
}

TEST_CASE(
    "rounding to 16 bits is to the nearest, ties to even, and once only") {
  CHECK(writes(NumberType::float16, 1.0 + std::ldexp(1.0, -11), 0x3c00));
  CHECK(writes(NumberType::float16, 1.0 + std::ldexp(3.0, -11), 0x3c02));
  // Just beyond the tie; a float in between would forget it.
  const double beyond = std::ldexp(1.0, -40);
  CHECK(
      writes(NumberType::float16, 1.0 + std::ldexp(1.0, -11) + beyond, 0x3c01));
  CHECK(
      writes(NumberType::float16, 1.0 + std::ldexp(3.0, -11) - beyond, 0x3c01));
  CHECK(
      writes(NumberType::bfloat16, 1.0 + std::ldexp(1.0, -8) + beyond, 0x3f81));
  CHECK(writes(NumberType::float16, 65519.9, 0x7bff));
  CHECK(writes(NumberType::float16, 65520.0, 0x7c00));
  CHECK(writes(NumberType::float16, 1e300, 0x7c00));
  CHECK(writes(NumberType::float16, -infinity, 0xfc00));
  CHECK(writes(NumberType::float16, std::ldexp(1.0, -25), 0x0000));
  CHECK(writes(NumberType::float16, std::ldexp(1.5, -25), 0x0001));
}

TEST_CASE("whole numbers keep sign and size") {
  CHECK(read_bits("I8", 0x80, 1) == -128);
  CHECK(read_bits("U8", 0xff, 1) == 255);
  CHECK(read_bits("I16", 0xffff, 2) == -1);
  CHECK(read_bits("U16", 0xffff, 2) == 65535);
  CHECK(read_bits("I32", 0x80000000, 4) == -2147483648.0);
  CHECK(read_bits("U32", 0xffffffff, 4) == 4294967295.0);
  CHECK(read_bits("I64", 0xffffffffffffffff, 8) == -1);
  CHECK(read_bits("U64", 0xffffffffffffffff, 8) == std::ldexp(1.0, 64));
  CHECK(read_bits("BOOL", 1, 1) == 1);
}

TEST_CASE("a bool is 0 or 1") {
  const std::string header =
      "{"s + diagnose::entry("mask", "BOOL", "[2]", 0, 2) + "}";
  CHECK(diagnose::problem(diagnose::safetensors(header, "\0\1"s)) == "");
  CHECK(diagnose::problem(diagnose::safetensors(header, "\0\2"s)) ==
        "file: mask: has the byte 2 where a bool is 0 or 1; save it as uint8");
}

TEST_CASE("what a whole-number type cannot hold is not written") {
  const diagnose::ScratchFolder folder;
  const auto write = [&](NumberType type, double value) {
    diagnose::write_npy(folder / "x.npy", {{}, type, {value}});
  };
  for (const double value : {0.5, 256.0, -1.0, infinity, std::nan("")}) {
    CHECK_THROWS_AS(write(NumberType::uint8, value),
                    diagnose::TensorFileProblem);
  }
  CHECK_THROWS_AS(write(NumberType::int64, std::ldexp(1.0, 63)),
                  diagnose::TensorFileProblem);
  CHECK_THROWS_AS(write(NumberType::boolean, 2.0), diagnose::TensorFileProblem);
  CHECK_FALSE(std::filesystem::exists(folder / "x.npy"));
  CHECK_NOTHROW(write(NumberType::int64, -std::ldexp(1.0, 63)));
  CHECK_NOTHROW(write(NumberType::uint8, 255));
}
