// Chapter 6: making one key/value head out of several.
#pragma once

#include "mha/layer.hpp"

#include <string>
#include <vector>

namespace pooling {

// [pooling]
using mha::Index;
using Weights = mha::LayerWeights<float>;

enum class Pooling {
  mean,    // the average of the heads that will share
  first,   // the first of them
  random,  // new numbers, as a fresh layer has them
};

// Key and value projections of n_kv_heads heads, made from those of n_heads.
// Neighbours are joined, biases as well.
Weights pooled(const Weights& weights, Index n_heads, Index n_kv_heads,
               Pooling pooling);
// [pooling]

// [grouped layer]
// A layer whose key and value projections have n_kv_heads heads: (T, d_model).
mha::Matrix<float> grouped_layer(const mha::Matrix<float>& x,
                                 const Weights& weights, Index n_heads,
                                 Index n_kv_heads);
// [grouped layer]

// [pool errors]
// How alike the heads of a group are made: 0 leaves them independent, 1 makes
// them equal.
struct PoolErrors {
  Index n_kv_heads;
  double mean, first, random;  // relative errors of the output
};

std::vector<PoolErrors> pool_errors(double likeness);
void print_pooling();
std::string draw_pooling();
// [pool errors]

}  // namespace pooling
