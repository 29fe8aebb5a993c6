#include "mha/pointer_attention.hpp"

#include <cmath>
#include <utility>

namespace mha {
namespace {

// [rows in memory]
// Where the d_head numbers of one item, token and head begin.
struct Place {
  PointerLayout layout;
  Index batch, tokens, heads, d_head;

  Index operator()(Index b, Index t, Index h) const {
    switch (layout) {
      case PointerLayout::batch_head_token:
        return ((b * heads + h) * tokens + t) * d_head;
      case PointerLayout::token_batch_head:
        return ((t * batch + b) * heads + h) * d_head;
      case PointerLayout::batch_token_head: break;
    }
    return ((b * tokens + t) * heads + h) * d_head;
  }
};
// [rows in memory]

// [to memory and back]
// Visits the rows of every item, token and head, with where they lie.
template <typename Visit>
void each_row(const Place& place, Visit visit) {
  for (Index b = 0; b < place.batch; ++b)
    for (Index t = 0; t < place.tokens; ++t)
      for (Index h = 0; h < place.heads; ++h)
        visit(b * place.tokens + t, h * place.d_head, place(b, t, h));
}

template <typename T>
RowVector<T> to_memory(const Matrix<double>& rows, const Place& place) {
  RowVector<T> memory(rows.size());
  each_row(place, [&](Index row, Index col, Index at) {
    memory.segment(at, place.d_head) =
        rows.row(row).segment(col, place.d_head).template cast<T>();
  });
  return memory;
}
// [to memory and back]

// [from memory]
template <typename T>
Matrix<double> from_memory(const RowVector<T>& memory, const Place& place) {
  Matrix<double> rows(place.batch * place.tokens, place.heads * place.d_head);
  each_row(place, [&](Index row, Index col, Index at) {
    rows.row(row).segment(col, place.d_head) =
        memory.segment(at, place.d_head).template cast<double>();
  });
  return rows;
}
// [from memory]

// [fits pointers]
void require_pointers_fit(const AttentionCall& call) {
  require(call.batch == call.kv_batch && call.n_heads > 0 &&
              call.q.cols() % call.n_heads == 0 &&
              call.k.cols() == call.n_kv_heads * d_head_of(call),
          "{} items and {} heads in {} columns do not fit {} items and {} "
          "heads in {}", call.batch, call.n_heads, call.q.cols(),
          call.kv_batch, call.n_kv_heads, call.k.cols());
  require(!is_given(call.options.pairs.attends()) &&
              !is_given(call.options.keys.attends()) &&
              call.options.causal != Causal::top_left,
          "an attention on pointers takes a causal mask, padding and a bias; "
          "set pairs = false in its abilities");
}
// [fits pointers]

// [sizes of pointers]
template <typename T>
PointerSizes<T> pointer_sizes(const AttentionCall& call, const Matrix<T>& bias) {
  PointerSizes<T> sizes = {call.batch, tokens_of(call), keys_of(call),
                           call.n_heads, call.n_kv_heads, d_head_of(call)};
  sizes.causal = call.options.causal == Causal::bottom_right;
  sizes.scale = static_cast<T>(call.options.scale.value_or(
      1 / std::sqrt(static_cast<double>(sizes.d_head))));
  if (is_given(call.padding)) sizes.padding = call.padding.data();
  if (is_given(bias)) sizes.bias = bias.data();
  return sizes;
}
// [sizes of pointers]

// [ask pointers]
template <typename T, typename Function>
AttentionFunction on_calls(Function function, PointerLayout layout) {
  return [function = std::move(function), layout](const AttentionCall& call) {
    require_pointers_fit(call);
    const Matrix<T> bias = call.options.bias.cast<T>();
    const PointerSizes<T> s = pointer_sizes(call, bias);
    const Place queries{layout, s.batch, s.t_q, s.n_heads, s.d_head};
    const Place keys{layout, s.batch, s.t_k, s.n_kv_heads, s.d_head};
    const RowVector<T> q = to_memory<T>(call.q, queries);
    const RowVector<T> k = to_memory<T>(call.k, keys);
    const RowVector<T> v = to_memory<T>(call.v, keys);
    RowVector<T> out = RowVector<T>::Constant(
        q.size(), std::numeric_limits<T>::quiet_NaN());
    function(q.data(), k.data(), v.data(), out.data(), s);
    return AttentionAnswer{from_memory(out, queries), {}};
  };
}

}  // namespace
// [ask pointers]

// [from pointers]
AttentionFunction from_pointers(FloatAttention function,
                                PointerLayout layout) {
  return on_calls<float>(std::move(function), layout);
}

AttentionFunction from_pointers(DoubleAttention function,
                                PointerLayout layout) {
  return on_calls<double>(std::move(function), layout);
}
// [from pointers]

}  // namespace mha
