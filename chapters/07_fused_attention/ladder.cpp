#include "ladder.hpp"

#include "mha/attention.hpp"
#include "mha/fused_forward.hpp"
#include "mha/vector_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fused {
namespace {

// [naive]
using mha::Index;
using mha::Matrix;
using mha::RowVector;

void naive(const mha::FusedCall& call) {
  OneHead h = first_head(call);
  h.out = mha::attention(h.q, h.k, h.v, {.scale = h.scale}).context;
}
// [naive]

}  // namespace

// [first head]
OneHead first_head(const mha::FusedCall& c) {
  return {Rows(c.q, c.t_q, c.d_head, Eigen::OuterStride<>(c.q_at.token)),
          Rows(c.k, c.t_k, c.d_head, Eigen::OuterStride<>(c.k_at.token)),
          Rows(c.v, c.t_k, c.d_head, Eigen::OuterStride<>(c.v_at.token)),
          RowsOut(c.out, c.t_q, c.d_head, Eigen::OuterStride<>(c.out_at.token)),
          c.scale};
}
// [first head]

namespace {

// [online step]
void a_key_at_a_time(const mha::FusedCall& call) {
  OneHead h = first_head(call);
  for (Index i = 0; i < h.q.rows(); ++i) {
    const RowVector<float> q = h.q.row(i) * h.scale;
    Running now;
    now.context = RowVector<float>::Zero(call.d_head);
    for (Index j = 0; j < h.k.rows(); ++j) {
      add_key(now, q.dot(h.k.row(j)), h.v.row(j));
    }
    h.out.row(i) = now.context / now.total;
  }
}
// [online step]

// [a tile]
// What is carried from tile to tile for a block of queries.
struct RunningBlock {
  Eigen::ArrayXf highest;  // (queries)
  Eigen::ArrayXf total;    // (queries)
  Matrix<float> context;   // (queries, d_head)
};

// The same step, for a block of queries and a tile of keys: two products of
// matrices, and between them the weights, by `exp` of a row.
template <typename Exp>
void add_tile(const Matrix<float>& q, const Rows& k, const Rows& v, Exp exp,
              RunningBlock& now) {
  Matrix<float> scores = q * k.transpose();
  const Eigen::ArrayXf before = now.highest;
  now.highest = before.max(scores.rowwise().maxCoeff().array());
  const Eigen::ArrayXf rescale = (before - now.highest).exp();
  for (Index i = 0; i < scores.rows(); ++i) {
    exp(scores.row(i).data(), scores.cols(), now.highest(i));
  }
  now.total = now.total * rescale + scores.rowwise().sum().array();
  now.context = rescale.matrix().asDiagonal() * now.context;
  now.context += scores * v;
}
// [a tile]

// [in tiles]
constexpr Index block = 128, tile = 256;

template <typename Exp>
void in_tiles(const mha::FusedCall& call, Exp exp) {
  OneHead h = first_head(call);
  for (Index i = 0; i < call.t_q; i += block) {
    const Index n = std::min(block, call.t_q - i);
    const Matrix<float> q = h.q.middleRows(i, n) * h.scale;
    RunningBlock now{Eigen::ArrayXf::Constant(
                    n, -std::numeric_limits<float>::infinity()),
                Eigen::ArrayXf::Zero(n), Matrix<float>::Zero(n, call.d_head)};
    for (Index j = 0; j < call.t_k; j += tile) {
      const Index keys = std::min(tile, call.t_k - j);
      const auto rows = [&](const Rows& all) {
        return Rows(all.row(j).data(), keys, call.d_head, all.outerStride());
      };
      add_tile(q, rows(h.k), rows(h.v), exp, now);
    }
    h.out.middleRows(i, n) =
        now.total.inverse().matrix().asDiagonal() * now.context;
  }
}
// [in tiles]

// [library exp]
void tiles(const mha::FusedCall& call) {
  in_tiles(call, [](float* scores, Index count, float highest) {
    for (Index j = 0; j < count; ++j) {
      scores[j] = std::exp(scores[j] - highest);
    }
  });
}
// [library exp]

// [own exp]
// Four at a time, in powers of two: exp(x) = 2^(x log2(e)).
void tiles_with_own_exp(const mha::FusedCall& call) {
  in_tiles(call, [](float* scores, Index count, float highest) {
    for (Index j = 0; j < count; j += mha::lanes) {
      const Index left = std::min<Index>(count - j, mha::lanes);
      const mha::Vector x = mha::load_first(scores + j, left) - highest;
      mha::store_first(mha::exp2_below_zero(x * 1.44269504F), scores + j,
                       left);
    }
  });
}
// [own exp]

// [fused steps]
template <int lanes>
void fused_in(const mha::FusedCall& call) {
  mha::FusedCall one = call;
  one.n_heads = one.n_kv_heads = one.batch = 1;
  mha::fused_forward(one, {.threads = 1, .lanes = lanes});
}

}  // namespace
// [fused steps]

// [ladder]
std::vector<Step> ladder() {
  std::vector<Step> steps = {{"naive", naive},
                             {"a key at a time", a_key_at_a_time},
                             {"tiles", tiles},
                             {"own exp", tiles_with_own_exp},
                             {"lanes are queries", fused_in<4>}};
  for (const int lanes : mha::vector_widths()) {
    if (lanes == 8) steps.push_back({"8 lanes", fused_in<8>});
    if (lanes == 16) steps.push_back({"16 lanes", fused_in<16>});
  }
  return steps;
}
// [ladder]

}  // namespace fused
