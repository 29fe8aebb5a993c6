// What PTX's instructions compute, on the bits of registers.
#pragma once

#include "ptx_code.hpp"

namespace ptx {

// A register's bits: those above the type's are zero.
using Bits = std::uint64_t;

Bits two_numbers(Op op, Way way, Type type, Bits a, Bits b);
Bits product_and_sum(const Instruction& instruction, Bits a, Bits b, Bits c);
Bits one_number(const Instruction& instruction, Bits a);
Bits converted(const Instruction& instruction, Bits a);
bool compares(Way way, Type type, Bits a, Bits b);
Bits cut(Type type, Bits bits);      // to the type's size
Bits widened(Type type, Bits bits);  // by the sign, of a signed number

}  // namespace ptx
