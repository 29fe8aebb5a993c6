// Chapter 7: the steps from the naive layer to the fused one, on one head.
#pragma once

#include "mha/fused_block.hpp"
#include "mha/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace fused {

// [step]
struct Step {
  std::string name;   // as tables and figures call it
  void (*attend)(const mha::FusedCall& call);
};

// From the naive layer on, each with one idea more. Steps that need vectors
// which this machine lacks are left out.
std::vector<Step> ladder();
// [step]

// [one head]
using Rows = Eigen::Map<const mha::Matrix<float>, 0, Eigen::OuterStride<>>;
using RowsOut = Eigen::Map<mha::Matrix<float>, 0, Eigen::OuterStride<>>;

// One head of a call as matrices that lie where it lies.
struct OneHead {
  Rows q;       // (T_q, d_head)
  Rows k, v;    // (T_k, d_head)
  RowsOut out;  // (T_q, d_head)
  float scale;
};

OneHead first_head(const mha::FusedCall& call);
// [one head]

// [running]
// What is known of a query after some of its keys: no score is kept.
struct Running {
  float highest = -std::numeric_limits<float>::infinity();  // of the scores
  float total = 0;                   // of exp(score - highest)
  mha::RowVector<float> context;     // the same weights, times the values
};
// [running]

// [add a key]
// Takes in one more key, by its score and its value (1, d_head). A hidden key
// has a score of minus infinity, and changes nothing.
inline void add_key(Running& now, float score,
                    const Eigen::Ref<const mha::RowVector<float>>& value) {
  if (score == -std::numeric_limits<float>::infinity()) return;
  const float before = now.highest;
  now.highest = std::max(before, score);
  const float rescale = std::exp(before - now.highest);
  const float weight = std::exp(score - now.highest);
  now.total = now.total * rescale + weight;
  now.context = now.context * rescale + weight * value;
}
// [add a key]

}  // namespace fused
