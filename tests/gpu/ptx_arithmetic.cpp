#include "ptx_arithmetic.hpp"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ptx {
namespace {

float as_float(Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
Bits bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 ||
         type == Type::s64;
}
std::int64_t as_signed(Type type, Bits bits) {
  return static_cast<std::int64_t>(widened(type, bits));
}

[[noreturn]] void not_known(const char* what) {
  throw std::runtime_error(std::string("PTX: no ") + what + " of this type");
}

double as_double(Bits bits) { return std::bit_cast<double>(bits); }
Bits bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

// The other one where one is NaN; and -0 is below 0.
template <class Float>
Float lesser(Float a, Float b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
template <class Float>
Float greater(Float a, Float b) {
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}

template <class Float>
Float two_floats(Op op, Float a, Float b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::min: return lesser(a, b);
    case Op::max: return greater(a, b);
    default: not_known("operation on floats");
  }
}

// a and b are what widened() makes of them. Division by zero has no defined
// result on a card.
template <class Integer>
Integer two_integers(Op op, Integer a, Integer b) {
  switch (op) {
    case Op::div:
      // The host would stop at the one quotient that does not fit.
      if (std::is_signed_v<Integer> && b == Integer(-1)) {
        return static_cast<Integer>(0 - static_cast<std::uint64_t>(a));
      }
      return b == 0 ? 0 : static_cast<Integer>(a / b);
    case Op::rem:
      if (std::is_signed_v<Integer> && b == Integer(-1)) return 0;
      return b == 0 ? a : static_cast<Integer>(a % b);
    case Op::min: return a < b ? a : b;
    case Op::max: return a > b ? a : b;
    default: not_known("operation on integers");
  }
}

Bits shifted(Op op, Type type, Bits a, Bits by) {
  const Bits bits = 8 * bytes_of(type);
  if (op == Op::shl) return by >= bits ? 0 : a << by;
  if (is_signed(type)) {
    return static_cast<Bits>(as_signed(type, a) >>
                             (by >= bits ? bits - 1 : by));
  }
  return by >= bits ? 0 : a >> by;
}

// Rounded towards minus infinity; not to be moved out of the changed mode.
__attribute__((noinline)) float fma_down(float a, float b, float c) {
  const int before = std::fegetround();
  std::fesetround(FE_DOWNWARD);
  volatile float x = a, y = b, z = c;
  volatile float result = std::fma(x, y, z);
  std::fesetround(before);
  return result;
}

float power_of_two(float a, bool flush) {
  const float smallest = std::numeric_limits<float>::min();
  const float power = static_cast<float>(std::exp2(static_cast<double>(a)));
  return flush && power < smallest ? 0.0f : power;
}

template <class Number>
bool ordered(Way way, Number a, Number b) {
  switch (way) {
    case Way::eq:
    case Way::equ: return a == b;
    case Way::ne:
    case Way::neu: return a != b;
    case Way::lt:
    case Way::ltu: return a < b;
    case Way::le:
    case Way::leu: return a <= b;
    case Way::gt:
    case Way::gtu: return a > b;
    case Way::ge:
    case Way::geu: return a >= b;
    case Way::num: return true;
    case Way::nan: return false;
    default: not_known("comparison");
  }
}

// Of NaN only the comparisons whose names say so are true.
bool true_of_nan(Way way) {
  return way == Way::equ || way == Way::neu || way == Way::ltu ||
         way == Way::leu || way == Way::gtu || way == Way::geu ||
         way == Way::nan;
}

// To the nearest, to even between two.
Bits bfloat16_of(float x) {
  if (std::isnan(x)) return 0x7fff;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

Bits from_float(const Instruction& instruction, float x) {
  switch (instruction.type) {
    case Type::bf16: return bfloat16_of(x);
    case Type::f32:
      if (!instruction.saturate) return bits_of(x);
      return bits_of(x > 0 ? std::fmin(x, 1.0f) : 0.0f);  // 0 for NaN
    default: not_known("integer of a float");
  }
}

Bits from_integer(const Instruction& instruction, Bits a) {
  if (instruction.type == Type::f64) {
    return bits_of(is_signed(instruction.from)
                       ? static_cast<double>(as_signed(instruction.from, a))
                       : static_cast<double>(a));
  }
  if (instruction.type != Type::f32) {
    return cut(instruction.type, widened(instruction.from, a));
  }
  return bits_of(is_signed(instruction.from)
                     ? static_cast<float>(as_signed(instruction.from, a))
                     : static_cast<float>(a));
}

}  // namespace

Bits cut(Type type, Bits bits) {
  const std::size_t bytes = type == Type::pred ? 8 : bytes_of(type);
  return bytes == 8 ? bits : bits & ((Bits{1} << 8 * bytes) - 1);
}

Bits widened(Type type, Bits bits) {
  switch (type) {
    case Type::s8:
      return static_cast<Bits>(std::int64_t{static_cast<std::int8_t>(bits)});
    case Type::s16:
      return static_cast<Bits>(std::int64_t{static_cast<std::int16_t>(bits)});
    case Type::s32:
      return static_cast<Bits>(std::int64_t{static_cast<std::int32_t>(bits)});
    default: return cut(type, bits);
  }
}

Bits two_numbers(Op op, Way way, Type type, Bits a, Bits b) {
  if (type == Type::pred) {
    const bool x = a != 0, y = b != 0;
    return op == Op::and_ ? x && y : op == Op::or_ ? x || y : x != y;
  }
  if (op == Op::and_) return cut(type, a & b);
  if (op == Op::or_) return cut(type, a | b);
  if (op == Op::xor_) return cut(type, a ^ b);
  if (op == Op::shl || op == Op::shr) {
    return cut(type, shifted(op, type, cut(type, a), cut(Type::u32, b)));
  }
  if (type == Type::f32) {
    return bits_of(two_floats(op, as_float(a), as_float(b)));
  }
  if (type == Type::f64) {
    return bits_of(two_floats(op, as_double(a), as_double(b)));
  }
  if (op == Op::add) return cut(type, a + b);
  if (op == Op::sub) return cut(type, a - b);
  if (op == Op::mul && way == Way::lo) return cut(type, a * b);
  if (is_signed(type)) {
    return cut(type, static_cast<Bits>(two_integers(op, as_signed(type, a),
                                                    as_signed(type, b))));
  }
  return cut(type, two_integers(op, cut(type, a), cut(type, b)));
}

Bits product_and_sum(const Instruction& instruction, Bits a, Bits b, Bits c) {
  const Type type = instruction.type;
  if (type == Type::f64) not_known("sum of a product");
  if (type == Type::f32) {
    const float x = as_float(a), y = as_float(b), z = as_float(c);
    return bits_of(instruction.round_down ? fma_down(x, y, z)
                                          : std::fma(x, y, z));
  }
  if (instruction.way == Way::hi) not_known("upper half of a product");
  // Of .wide the factors are of half the size; they fit 64 bits together.
  const Type from = instruction.from;
  return cut(type, widened(from, a) * widened(from, b) + c);
}

Bits one_number(const Instruction& instruction, Bits a) {
  const Op op = instruction.op;
  const Type type = instruction.type;
  if (op == Op::not_) return type == Type::pred ? a == 0 : cut(type, ~a);
  if (type == Type::f64) not_known("operation on one number");
  if (type != Type::f32) {
    if (op == Op::neg) return cut(type, -a);
    if (op == Op::abs) {
      return as_signed(type, a) < 0 ? cut(type, -a) : cut(type, a);
    }
    not_known("operation on an integer");
  }
  const float x = as_float(a);
  switch (op) {
    case Op::neg: return bits_of(-x);
    case Op::abs: return bits_of(std::fabs(x));
    case Op::rcp: return bits_of(1 / x);
    case Op::sqrt: return bits_of(std::sqrt(x));
    case Op::rsqrt: return bits_of(1 / std::sqrt(x));
    case Op::lg2: return bits_of(std::log2(x));
    case Op::ex2: return bits_of(power_of_two(x, instruction.flush));
    default: not_known("operation on a float");
  }
}

Bits converted(const Instruction& instruction, Bits a) {
  if (instruction.from == Type::f64) not_known("conversion");
  if (instruction.from == Type::f32) {
    return from_float(instruction, as_float(a));
  }
  if (instruction.from == Type::bf16) {
    return from_float(instruction, as_float(a << 16));
  }
  return from_integer(instruction, a);
}

bool compares(Way way, Type type, Bits a, Bits b) {
  if (type == Type::f64) not_known("comparison");
  if (type == Type::f32) {
    const float x = as_float(a), y = as_float(b);
    return std::isnan(x) || std::isnan(y) ? true_of_nan(way)
                                          : ordered(way, x, y);
  }
  return is_signed(type) ? ordered(way, as_signed(type, a), as_signed(type, b))
                         : ordered(way, cut(type, a), cut(type, b));
}

}  // namespace ptx
