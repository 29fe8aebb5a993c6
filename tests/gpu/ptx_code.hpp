// A module of PTX, nvcc's code for GPUs before it is turned into a card's own.
// The words are those of Nvidia's "Parallel Thread Execution ISA".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptx {

enum class Type { pred, u8, s8, u16, s16, u32, s32, u64, s64, bf16, f32, f64 };

std::size_t bytes_of(Type type);

enum class Space { none, param, global, shared, local };

enum class Op {
  add,
  sub,
  mul,
  mad,
  div,
  rem,
  min,
  max,
  neg,
  abs,
  and_,
  or_,
  xor_,
  not_,
  shl,
  shr,
  setp,
  selp,
  mov,
  cvt,
  cvta,
  fma,
  rcp,
  ex2,
  lg2,
  sqrt,
  rsqrt,
  ld,
  st,
  atom,
  bra,
  ret,
  bar,
  bar_red,
  bar_warp,
  shfl,
  vote
};

// What an instruction's parts ask for besides its types.
enum class Way {
  none,
  // products of integers
  lo,
  hi,
  wide,
  // setp
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan,
  // shuffles
  up,
  down,
  bfly,
  idx,
  // votes
  ballot,
  any,
  all,
  // of a block
  popc,
  and_,
  or_,
  // atomic
  add,
  min,
  max,
  exch,
  cas
};

struct Operand {
  enum class Kind { none, reg, number, special, param };
  Kind kind = Kind::none;
  bool negated = false;      // of predicates
  int index = 0;             // of the register or special register
  std::uint64_t number = 0;  // a constant, or where a variable begins
  std::int64_t offset = 0;   // of an address: bytes behind what is named
};

struct SourceLine {
  int file = 0;
  int line = 0;
};

struct Instruction {
  Op op = Op::ret;
  Way way = Way::none;
  Type type = Type::u32;
  Type from = Type::u32;  // cvt: what it turns; mul.wide: of the factors
  Space space = Space::none;
  bool round_down = false;
  bool saturate = false;
  bool flush = false;       // what is too small for a normal number, to zero
  int guard = -1;           // a predicate's register; -1: always
  bool unless = false;      // the guard must be false
  std::size_t results = 0;  // operands before those that are read
  std::vector<Operand> operands;
  int target = 0;  // of a branch
  SourceLine at;
};

struct Parameter {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  std::size_t parameter_bytes = 0;
  std::size_t registers = 0;
  std::size_t shared_bytes = 0;  // static
  std::size_t local_bytes = 0;
  std::vector<Instruction> code;
};

struct Module {
  std::map<std::string, Kernel> kernels;
  std::map<int, std::string> files;
  std::map<std::string, std::vector<unsigned char>> globals;
};

// What stands where the code names a variable of dynamic shared memory: the
// static one ends there, rounded up to 16.
constexpr std::size_t dynamic_alignment = 16;

inline std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

// Throws std::runtime_error for what it does not know, with the line. The
// module's globals are referred to by address: it must stay where it is.
void read_module(const std::string& text, Module& module);

}  // namespace ptx
