// The machine that runs PTX, on small kernels whose results are known.
#include "ptx_machine.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace {

// A kernel of one parameter, an array, whose address %rd1 is; of thread %r1,
// whose own number of 4 bytes is at %rd2.
std::string kernel(const std::string& body) {
  return fmt::format(R"(
.version 9.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 test_param_0)
{{
  .reg .pred %p<9>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [test_param_0];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd2, %rd1, %rd2;
{}
  ret;
}}
)",
                     body);
}

class Array {
 public:
  Array(ptx::CardMemory& memory, std::size_t count)
      : memory_(memory),
        begin_(static_cast<std::uint32_t*>(memory.allocate(4 * count))),
        count_(count) {
    std::memset(begin_, 0, 4 * count);
  }
  ~Array() { memory_.release(begin_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  std::uint32_t* begin() const { return begin_; }
  std::vector<std::uint32_t> numbers() const {
    return {begin_, begin_ + count_};
  }

 private:
  ptx::CardMemory& memory_;
  std::uint32_t* begin_;
  std::size_t count_;
};

// One block's array after the kernel.
std::vector<std::uint32_t> after(const std::string& body, unsigned threads,
                                 std::uint64_t seed = 0) {
  ptx::Module module;
  ptx::read_module(kernel(body), module);
  ptx::CardMemory memory;
  const Array array(memory, threads);
  ptx::Launch launch{.kernel = &module.kernels.at("test"),
                     .block = {threads, 1, 1},
                     .seed = seed};
  launch.parameters.resize(8);
  const std::uint32_t* const begin = array.begin();
  std::memcpy(launch.parameters.data(), &begin, 8);
  ptx::run(launch, module, memory);
  return array.numbers();
}

// What one instruction makes of %r2 and %r3, into %r4.
std::uint32_t made(const std::string& instruction, std::uint32_t a,
                   std::uint32_t b = 0) {
  return after(fmt::format("mov.b32 %r2, {};\nmov.b32 %r3, {};\n{}\n"
                           "st.global.u32 [%rd1], %r4;",
                           a, b, instruction),
               1)[0];
}

std::uint32_t bits(float x) {
  std::uint32_t all = 0;
  std::memcpy(&all, &x, sizeof all);
  return all;
}

std::string fault(const std::string& body, unsigned threads) {
  try {
    after(body, threads);
  } catch (const ptx::Fault& error) {
    return error.what();
  }
  return "";
}

std::string misread(const std::string& body) {
  try {
    after(body, 1);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("PTX: integers wrap, widen and shift by their types") {
  const std::uint32_t minus_7 = 0xfffffff9U;
  CHECK(made("add.s32 %r4, %r2, %r3;", 0xffffffffU, 2) == 1);
  CHECK(made("div.s32 %r4, %r2, %r3;", minus_7, 2) == 0xfffffffdU);
  CHECK(made("div.u32 %r4, %r2, %r3;", minus_7, 2) == 0x7ffffffcU);
  CHECK(made("rem.s32 %r4, %r2, %r3;", minus_7, 2) == 0xffffffffU);
  CHECK(made("shr.s32 %r4, %r2, 1;", minus_7) == 0xfffffffcU);
  CHECK(made("shr.u32 %r4, %r2, 1;", minus_7) == 0x7ffffffcU);
  CHECK(made("shr.s32 %r4, %r2, 99;", minus_7) == 0xffffffffU);
  CHECK(made("shl.b32 %r4, %r2, 32;", 1) == 0);
  CHECK(made("max.s32 %r4, %r2, %r3;", minus_7, 2) == 2);
  CHECK(made("max.u32 %r4, %r2, %r3;", minus_7, 2) == minus_7);
  CHECK(made("mad.lo.s32 %r4, %r2, %r3, 5;", minus_7, 2) == 0xfffffff7U);
  const std::string upper = "shr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r4, %rd3;";
  CHECK(made("mul.wide.s32 %rd3, %r2, %r3;\n" + upper, minus_7, 2) ==
        0xffffffffU);
  CHECK(made("mul.wide.u32 %rd3, %r2, %r3;\n" + upper, minus_7, 2) == 1);
  CHECK(made("cvt.s64.s32 %rd3, %r2;\n" + upper, minus_7) == 0xffffffffU);
  CHECK(made("cvt.u64.u32 %rd3, %r2;\n" + upper, minus_7) == 0);
}

TEST_CASE("PTX: floats round, compare and clamp as a card's do") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float third = 1.0F / 3, epsilon = std::ldexp(1.0F, -24);
  // One rounding, not two; and rounded down where that is asked.
  CHECK(made("fma.rn.f32 %r4, %r2, %r2, %r3;", bits(third),
             bits(-third * third)) ==
        bits(std::fma(third, third, -third * third)));
  CHECK(made("fma.rm.f32 %r4, %r2, 0f3F800000, %r3;", bits(-1),
             bits(-epsilon)) == bits(std::nextafter(-1.0F, -2.0F)));
  CHECK(made("fma.rn.f32 %r4, %r2, 0f3F800000, %r3;", bits(-1),
             bits(-epsilon)) == bits(-1));
  CHECK(made("max.f32 %r4, %r2, %r3;", bits(nan), bits(2)) == bits(2));
  for (const float zero : {0.0F, -0.0F}) {
    CHECK(made("min.f32 %r4, %r2, %r3;", bits(zero), bits(-zero)) ==
          bits(-0.0F));
    CHECK(made("max.f32 %r4, %r2, %r3;", bits(zero), bits(-zero)) ==
          bits(0.0F));
  }
  CHECK(made("cvt.sat.f32.f32 %r4, %r2;", bits(nan)) == bits(0));
  CHECK(made("cvt.sat.f32.f32 %r4, %r2;", bits(1.5F)) == bits(1));
  CHECK(made("ex2.approx.ftz.f32 %r4, %r2;", bits(-127)) == 0);
  CHECK(made("ex2.approx.f32 %r4, %r2;", bits(-127)) ==
        bits(std::ldexp(1.0F, -127)));
  CHECK(made("ex2.approx.ftz.f32 %r4, %r2;", bits(3)) == bits(8));
  CHECK(made("rcp.rn.f32 %r4, %r2;", bits(3)) == bits(third));
  CHECK(made("cvt.rn.f32.s32 %r4, %r2;", 0xfffffff9U) == bits(-7));
  const auto holds = [&](const std::string& compare, float a, float b) {
    return made("setp." + compare +
                    ".f32 %p1, %r2, %r3;\n"
                    "selp.b32 %r4, 1, 0, %p1;",
                bits(a), bits(b)) == 1;
  };
  CHECK(holds("lt", 1, 2));
  CHECK_FALSE(holds("lt", nan, 2));
  CHECK_FALSE(holds("ne", nan, 2));
  CHECK(holds("neu", nan, 2));
  CHECK(holds("leu", 1, nan));
  CHECK(holds("nan", 1, nan));
  CHECK_FALSE(holds("nan", 1, 2));
}

TEST_CASE("PTX: roots, logarithms and doubles") {
  CHECK(made("sqrt.rn.f32 %r4, %r2;", bits(2)) == bits(std::sqrt(2.0F)));
  CHECK(made("rsqrt.approx.f32 %r4, %r2;", bits(4)) == bits(0.5F));
  CHECK(made("lg2.approx.f32 %r4, %r2;", bits(8)) == bits(3));
  CHECK(made("div.approx.f32 %r4, %r2, %r3;", bits(3), bits(4)) == bits(0.75F));
  // The upper half of -7 * 0.25 as a double.
  CHECK(made("cvt.rn.f64.s32 %rd3, %r2;\n"
             "mul.f64 %rd3, %rd3, 0d3FD0000000000000;\n"
             "shr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r4, %rd3;",
             0xfffffff9U) == 0xbffc0000U);
  CHECK(made("cvt.rn.f64.s32 %rd3, %r2;\n"
             "mul.f64 %rd3, %rd3, 0dBFD0000000000000;\n"
             "shr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r4, %rd3;",
             0xfffffff9U) == 0x3ffc0000U);
}

TEST_CASE("PTX: atomics give what was there and leave what is due") {
  const auto left = [](const std::string& how) {
    return after(
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\nmov.b32 %r3, -5;\n"
        "st.global.u32 [%rd1], 3;\natom.global." +
            how + ";\nst.global.u32 [%rd1+4], %r2;",
        2);
  };
  const std::uint32_t minus_5 = 0xfffffffbU;
  using Left = std::vector<std::uint32_t>;
  CHECK(left("add.u32 %r2, [%rd1], %r3") == Left{0xfffffffeU, 3});
  CHECK(left("min.s32 %r2, [%rd1], %r3") == Left{minus_5, 3});
  CHECK(left("min.u32 %r2, [%rd1], %r3") == Left{3, 3});
  CHECK(left("max.s32 %r2, [%rd1], %r3") == Left{3, 3});
  CHECK(left("max.u32 %r2, [%rd1], %r3") == Left{minus_5, 3});
  CHECK(left("exch.b32 %r2, [%rd1], %r3") == Left{minus_5, 3});
  CHECK(left("cas.b32 %r2, [%rd1], 3, %r3") == Left{minus_5, 3});
  CHECK(left("cas.b32 %r2, [%rd1], 4, %r3") == Left{3, 3});
  CHECK(left("cas.b32 %r2, [%rd1], 3, -5") == Left{minus_5, 3});
}

TEST_CASE("PTX: bf16 is rounded to the nearest, to even between two") {
  const auto rounded = [](std::uint32_t float_bits) {
    return made(
        "{ .reg .b16 %h; cvt.rn.bf16.f32 %h, %r2; "
        "cvt.u32.u16 %r4, %h; }",
        float_bits);
  };
  CHECK(rounded(0x3f808000) == 0x3f80);
  CHECK(rounded(0x3f818000) == 0x3f82);
  CHECK(rounded(0x3f808001) == 0x3f81);
  CHECK(rounded(0xffc00000) == 0x7fff);
  CHECK(rounded(0x7f800000) == 0x7f80);
}

TEST_CASE("PTX: shuffles keep to their bounds") {
  const auto shuffled = [](const std::string& how, unsigned threads) {
    return after("shfl.sync." + how + ", -1;\nst.global.u32 [%rd2], %r2;",
                 threads);
  };
  const auto up = shuffled("up.b32 %r2|%p1, %r1, 1, 0", 40);
  CHECK(up[0] == 0);  // nobody before it
  CHECK(up[1] == 0);
  CHECK(up[31] == 30);
  CHECK(up[32] == 32);  // the next warp's first
  CHECK(up[33] == 32);
  const auto down = shuffled("down.b32 %r2|%p1, %r1, 1, 31", 32);
  CHECK(down[30] == 31);
  CHECK(down[31] == 31);
  const auto across = shuffled("bfly.b32 %r2|%p1, %r1, 4, 31", 32);
  CHECK(across[3] == 7);
  CHECK(across[31] == 27);
  const auto first_of_8 = shuffled("idx.b32 %r2|%p1, %r1, 0, 6175", 32);
  CHECK(first_of_8[7] == 0);  // 6175 is 0x181f: segments of 8
  CHECK(first_of_8[8] == 8);
  CHECK(first_of_8[31] == 24);
  const auto inside = shuffled(
      "up.b32 %r3|%p1, %r1, 1, 0, -1;\n"
      "selp.b32 %r2, 1, 0, %p1;\n"
      "shfl.sync.idx.b32 %r3|%p1, %r1, 0, 31",
      32);
  CHECK(inside[0] == 0);
  CHECK(inside[1] == 1);
}

TEST_CASE("PTX: parts of warps and barriers meet, in any order of threads") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    // The upper half of the lanes is gone when the lower half votes.
    const auto ballot = after(
        "setp.gt.u32 %p1, %r1, 15;\n@%p1 ret;\nsetp.lt.u32 %p2, %r1, 3;\n"
        "vote.sync.ballot.b32 %r2, %p2, 65535;\nst.global.u32 [%rd2], %r2;",
        32, seed);
    CHECK(ballot[0] == 7);
    CHECK(ballot[16] == 0);
    const auto popc = after(
        "setp.lt.u32 %p1, %r1, 50;\nbar.red.popc.u32 %r2, 0, !%p1;\n"
        "st.global.u32 [%rd2], %r2;",
        64, seed);
    CHECK(popc[5] == 14);
    const auto sum =
        after("atom.global.add.u32 %r2, [%rd1], 3;\nbar.sync 0;\n", 64, seed);
    CHECK(sum[0] == 192);
  }
}

TEST_CASE("PTX: names in inner braces are others") {
  CHECK(made("mov.b32 %r4, %r2;\n{ .reg .b32 %r4; mov.b32 %r4, %r3; }", 5, 6) ==
        5);
}

TEST_CASE("PTX: what would do harm is a fault") {
  CHECK(fault("st.global.u32 [%rd1+4], %r1;", 1)
            .find("4 bytes outside of all arrays") != std::string::npos);
  CHECK(
      fault("st.global.u32 [%rd1+-4], %r1;", 1).find("outside of all arrays") !=
      std::string::npos);
  CHECK(fault("ld.global.v2.u32 {%r2, %r3}, [%rd1+4];", 8)
            .find("8 bytes at an address that is no multiple") !=
        std::string::npos);
  CHECK(fault("ld.shared.u32 %r2, [%r1];", 1).find("shared memory") !=
        std::string::npos);
  CHECK(fault("mov.u32 %r2, 0;\nst.shared.u32 [%r2+-4], %r1;", 1)
            .find("shared memory") != std::string::npos);
  // Half of a warp waits for the other half at another place: barriers meet
  // there, numbers are not exchanged.
  const auto at_two_places = [](const std::string& what) {
    return fault("setp.gt.u32 %p1, %r1, 15;\n@%p1 bra $other;\n" + what +
                     "bra $end;\n$other:\n" + what + "$end:",
                 32);
  };
  CHECK(at_two_places("bar.warp.sync -1;\n") == "");
  CHECK(at_two_places("shfl.sync.bfly.b32 %r2|%p2, %r1, 1, 31, -1;\n")
            .find("its warp does not come here") != std::string::npos);
  CHECK(at_two_places("bar.sync 0;\n") == "");
  CHECK(at_two_places("bar.red.popc.u32 %r2, 0, %p1;\n")
            .find("not all threads vote here") != std::string::npos);
  CHECK(fault("setp.gt.u32 %p1, %r1, 15;\n@%p1 ret;\n"
              "shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 31, -1;",
              32)
            .find("which takes no part") != std::string::npos);
}

TEST_CASE("PTX: what is not known is refused with its line") {
  CHECK(misread("cp.async.wait_all;") ==
        "PTX, line 14, at ';': the instruction cp is not known");
  CHECK(misread("add.sat.s32 %r2, %r1, 1;")
            .ends_with("the part sat of add is not known"));
  CHECK(misread("mov.u32 %r2, nowhere;").ends_with("nowhere is not known"));
  CHECK(misread("bra $nowhere;").ends_with("no label $nowhere"));
  CHECK(misread("mov.u32 %r2, %warpid;")
            .ends_with("the register %warpid is not known"));
  CHECK(misread("vote.sync.uni.pred %p1, %p2, -1;")
            .ends_with("the part uni of vote is not known"));
  CHECK(misread("setp.eq.u32 %p1|%p2, %r1, 0;")
            .ends_with("3 operands are due, and there are 4"));
  CHECK(misread("bar.sync 1;").ends_with("a barrier other than 0"));
  CHECK(
      misread("add.bf16 %r2, %r1, %r1;").ends_with("add of bf16 is not known"));
}
