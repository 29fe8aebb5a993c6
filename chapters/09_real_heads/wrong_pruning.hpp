// Chapter 9: taking heads out for good, and two ways to get it wrong.
#pragma once

#include "mha/layer.hpp"

#include <string>
#include <vector>

namespace pruning {

// [pruned]
using mha::Index;
using Numbers = mha::Matrix<double>;
using Weights = mha::LayerWeights<double>;

// The layer with the slices of these heads alone: their columns of w_q, w_k and
// w_v, their rows of w_o. None may be left.
Weights pruned(const Weights& weights, Index d_head,
               const std::vector<Index>& kept);

// What a layer of heads d_head wide gives, however many there are: (T, d_model).
Numbers output_of(const Weights& weights, Index d_head, const Numbers& x);
// [pruned]

// [pruning case]
struct Case {
  std::string name, symptom;
  Weights (*prune)(const Weights&, Index, const std::vector<Index>&);
  std::string report;  // row of the table of bug reports, if any
};

const std::vector<Case>& cases();

// What is wrong with a pruning, or nothing: every set of heads of a small layer
// is kept, and the output compared with the sum of what these heads write.
std::string fault_of(const Case& one);

void print_cases();
void print_reports();
// [pruning case]

}  // namespace pruning
