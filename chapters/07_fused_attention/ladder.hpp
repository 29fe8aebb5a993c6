// The steps from the naive layer to the fused one. Each computes one head of
// one item, without masks: the first rows of a call's memory.
#pragma once

#include "mha/fused_block.hpp"
#include "mha/matrix.hpp"

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

// [online softmax]
// One query's output, one key at a time. The scores of the keys seen so far
// are not kept: their maximum and the sum of their weights are enough.
// q: (1, d_head), k and v: (T_k, d_head).
mha::RowVector<float> attend_online(const mha::RowVector<float>& q,
                                    const Rows& k, const Rows& v);
// [online softmax]

}  // namespace fused
