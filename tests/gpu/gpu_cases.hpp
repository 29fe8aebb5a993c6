// What the tests of nvcc's code share.
#pragma once

#include "attention_sizes.hpp"

#include <cmath>
#include <exception>
#include <string>

inline cuda_port::Sizes sizes(cuda_port::Index tokens, cuda_port::Index heads,
                              cuda_port::Index kv_heads,
                              cuda_port::Index width) {
  return {.heads = heads,
          .kv_heads = kv_heads,
          .queries = tokens,
          .keys = tokens,
          .width = width,
          .scale = 1 / std::sqrt(static_cast<float>(width))};
}

// What is said when a call is refused; empty when it is not.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}
