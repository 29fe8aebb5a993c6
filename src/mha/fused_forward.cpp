#include "mha/fused_forward.hpp"

#include "mha/at_width.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

// [openmp]
#ifdef _OPENMP
#include <omp.h>
#endif
// [openmp]

namespace mha {
namespace {

// [kernel here]
FusedKernel kernel_for(int lanes) {
  return at_width(lanes, [](auto width) { return fused_kernel<width>(); });
}
// [kernel here]

// [fused checks]
void require_call_fits(const FusedCall& call) {
  require(call.batch >= 0 && call.t_q >= 0 && call.t_k >= 0,
          "there are {} items of {} queries and {} keys, but none of these "
          "may be negative", call.batch, call.t_q, call.t_k);
  require(call.d_head > 0, "a head has {} numbers, but needs at least 1",
          call.d_head);
  require(call.n_kv_heads > 0 && call.n_heads > 0 &&
              call.n_heads % call.n_kv_heads == 0,
          "n_kv_heads = {} does not divide n_heads = {}; choose a divisor",
          call.n_kv_heads, call.n_heads);
}
// [fused checks]

// [thread memory]
struct Free {
  void operator()(float* memory) const {
    ::operator delete(memory, std::align_val_t{64});
  }
};

std::unique_ptr<float, Free> aligned_floats(Index count) {
  return std::unique_ptr<float, Free>(static_cast<float*>(
      ::operator new(static_cast<std::size_t>(count) * sizeof(float),
                     std::align_val_t{64})));
}
// [thread memory]

// [thread count]
// As many as wanted. If that was left open, one for each two million
// operations: waking another takes longer than it takes to do fewer.
#ifdef _OPENMP
Index thread_count(const FusedCall& call, int wanted, Index items) {
  const double operations = 4.0 * static_cast<double>(call.batch) *
                            static_cast<double>(call.n_heads * call.d_head) *
                            static_cast<double>(call.t_q) *
                            static_cast<double>(call.t_k);
  const Index worth = static_cast<Index>(std::min(operations / 2e6, 1e6)) + 1;
  const Index most =
      wanted > 0 ? wanted : std::min<Index>(omp_get_max_threads(), worth);
  return std::clamp(most, Index{1}, std::max(items, Index{1}));
}
#else
Index thread_count(const FusedCall&, int, Index) { return 1; }
#endif
// [thread count]

}  // namespace

// [fused forward]
void fused_forward(const FusedCall& call, const FusedSettings& settings) {
  fused_forward_with(call, kernel_for(settings.lanes), settings.threads);
}

void fused_forward_with(const FusedCall& call, const FusedKernel& kernel,
                        int wanted_threads) {
  require_call_fits(call);
  const Index blocks = (call.t_q + kernel.queries - 1) / kernel.queries;
  const Index items = call.batch * call.n_heads * blocks;
  const Index threads = thread_count(call, wanted_threads, items);
  // A multiple of 16 floats, so that each thread's part begins aligned.
  const Index floats = (kernel.floats_needed(call.d_head) + 15) / 16 * 16;
  const auto memory = aligned_floats(threads * floats);
  const auto attend = [&](Index item, float* mine) {
    const Index head = item / blocks;
    const Index block = blocks - 1 - item % blocks;  // causal: longest first
    kernel.attend(call, head / call.n_heads, head % call.n_heads,
                  block * kernel.queries, mine);
  };
  // [fused forward]
  // [fused threads]
#ifdef _OPENMP
  // A few at a time: neighbours read the same keys, near the same core.
  const Index few = std::clamp(items / (threads * 16), Index{1}, Index{4});
#pragma omp parallel for schedule(dynamic, few) \
    num_threads(static_cast<int>(threads))
  for (Index item = 0; item < items; ++item) {
    attend(item, memory.get() + omp_get_thread_num() * floats);
  }
#else
  for (Index item = 0; item < items; ++item) attend(item, memory.get());
#endif
}
// [fused threads]

namespace {

// [rows of heads]
HeadStrides side_by_side(const Matrix<float>& rows, Index tokens,
                         Index d_head) {
  return {.item = tokens * rows.cols(), .token = rows.cols(), .head = d_head};
}

void require_matrices_fit(const Matrix<float>& q, const Matrix<float>& k,
                          const Matrix<float>& v, const FusedHeads& heads) {
  require(heads.batch > 0 && heads.n_heads > 0 && heads.n_kv_heads > 0,
          "there are {} items, {} query heads and {} key/value heads, but "
          "each must be at least 1", heads.batch, heads.n_heads,
          heads.n_kv_heads);
  require(q.rows() % heads.batch == 0 && k.rows() % heads.batch == 0,
          "{} rows of queries or {} of keys cannot be {} items of equal length",
          q.rows(), k.rows(), heads.batch);
  require(q.cols() % heads.n_heads == 0,
          "n_heads = {} does not divide the {} columns of q", heads.n_heads,
          q.cols());
  require(k.cols() == q.cols() / heads.n_heads * heads.n_kv_heads,
          "k has {} columns, but {} heads of {} need {}", k.cols(),
          heads.n_kv_heads, q.cols() / heads.n_heads,
          q.cols() / heads.n_heads * heads.n_kv_heads);
  require(k.rows() == v.rows() && k.cols() == v.cols(),
          "k is {} x {}, but v is {} x {}", k.rows(), k.cols(), v.rows(),
          v.cols());
}
// [rows of heads]

// [table of pairs]
// The masks that differ from query to query, or that concern single keys, as
// one table; 0 x 0 when there is none. The shapes are checked as in
// attention().
BoolMatrix table_of_pairs(const AttentionOptions& options, Index t_q,
                          Index t_k) {
  AttentionOptions rest = options;
  rest.causal = Causal::none;
  const bool any = is_given(options.pairs.attends()) ||
                   is_given(options.keys.attends()) ||
                   is_given(options.bias);
  return any ? visible_keys(rest, t_q, t_k) : BoolMatrix();
}
// [table of pairs]

}  // namespace

// [fused attention]
FusedResult fused_attention(const Matrix<float>& q, const Matrix<float>& k,
                            const Matrix<float>& v, const FusedHeads& heads,
                            const AttentionOptions& options,
                            const BoolMatrix& padding,
                            const FusedSettings& settings) {
  require_matrices_fit(q, k, v, heads);
  FusedCall call;
  call.batch = heads.batch;
  call.n_heads = heads.n_heads;
  call.n_kv_heads = heads.n_kv_heads;
  call.t_q = q.rows() / heads.batch;
  call.t_k = k.rows() / heads.batch;
  call.d_head = q.cols() / heads.n_heads;
  call.scale = static_cast<float>(options.scale.value_or(
      1.0 / std::sqrt(static_cast<double>(call.d_head))));
  call.causal = options.causal != Causal::none;
  call.causal_shift =
      options.causal == Causal::bottom_right ? call.t_k - call.t_q : 0;
  // [fused attention]
  // [fused attention memory]
  require(!is_given(padding) ||
              (padding.rows() == call.batch && padding.cols() == call.t_k),
          "padding is {} x {}, but there are {} items of {} keys",
          padding.rows(), padding.cols(), call.batch, call.t_k);
  const BoolMatrix pairs = table_of_pairs(options, call.t_q, call.t_k);
  const Matrix<float> bias = options.bias.cast<float>();
  if (is_given(padding)) call.padding = padding.data();
  if (is_given(pairs)) call.pairs = pairs.data();
  if (is_given(bias)) call.bias = bias.data();
  FusedResult result{Matrix<float>(q.rows(), q.cols()),
                     Matrix<float>(call.batch * call.n_heads, call.t_q)};
  call.q = q.data();
  call.k = k.data();
  call.v = v.data();
  call.out = result.output.data();
  call.log_sum_exp = result.log_sum_exp.data();
  call.q_at = call.out_at = side_by_side(q, call.t_q, call.d_head);
  call.k_at = call.v_at = side_by_side(k, call.t_k, call.d_head);
  fused_forward(call, settings);
  return result;
}
// [fused attention memory]

}  // namespace mha
