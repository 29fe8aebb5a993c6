/// \file multiply_add.hpp
/// The most multiplications and additions that this machine does in a second.
#pragma once

#include <cstdint>

namespace bench {

/// \tparam lanes  floats in a vector
/// \param rounds  how many rounds to do
/// \return something that depends on all of them, so that none is left out
template <int lanes>
float multiply_add_rounds(std::int64_t rounds);

/// \return operations in a round: a multiplication and an addition are two
/// \param lanes  floats in a vector
constexpr double operations_in_round(int lanes) { return 2.0 * 12 * lanes; }

}  // namespace bench
