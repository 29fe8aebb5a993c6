// Chapter 7: the fused attention before the battery.
#pragma once

#include "mha/battery.hpp"
#include "mha/fused_forward.hpp"

namespace fused {

// [on calls]
// Takes a call in double precision, computes in float32. Throws
// std::invalid_argument when sizes do not fit.
mha::AttentionFunction on_calls(const mha::FusedSettings& settings = {});

// All but the maps, which are never stored, and dropout.
mha::Abilities abilities();
// [on calls]

}  // namespace fused
