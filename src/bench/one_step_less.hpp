/// \file one_step_less.hpp
/// The fused kernel of 16 lanes with one of its ideas taken out: what it gives.
#pragma once

#include "mha/fused_block.hpp"

namespace mha {

/// \tparam lanes  16
/// \return the kernel with the library's exp2, one element at a time
template <int lanes>
FusedKernel kernel_without_own_exp();

/// \tparam lanes  16
/// \return the kernel without exponentials: its results are wrong, its speed is
///         what all the rest allows
template <int lanes>
FusedKernel kernel_without_any_exp();

/// \tparam lanes  16
/// \return the kernel that leaves it to the processor to fetch memory
template <int lanes>
FusedKernel kernel_without_fetching();

/// \tparam lanes  16
/// \return the kernel that turns its squares through memory
template <int lanes>
FusedKernel kernel_without_shuffles();

}  // namespace mha
