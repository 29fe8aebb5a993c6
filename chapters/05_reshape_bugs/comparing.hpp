// Chapter 5: three ways to compare, two of them wrong.
#pragma once

#include "attention_steps.hpp"

namespace gallery {

// [comparing]
double worst_relative_error(const Numbers& got, const Numbers& reference);
double folded_difference(const Numbers& got, const Numbers& reference);
bool within_twice_the_plain_error(const Numbers& got, const Numbers& plain,
                                  const Numbers& reference);

// A right layer that rounds every step to 16 bits, keys in order or reversed.
enum class KeyOrder { forward, backward };
Numbers attend_in_half(const Call& call, KeyOrder order, double scale);
// [comparing]

}  // namespace gallery
