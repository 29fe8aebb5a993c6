// Exercise 6.2: Eight questions, two shelves
// kind: implement
// difficulty: 2
// section: sharing-keys-and-values
// check: grouped heads read their own keys and values
//
// Write `decode_one`: the attention of one token's queries over a cache, when
// `n_heads` query heads share `n_kv_heads` key/value heads. Neighbours share:
// of 8 heads on 2, heads 0 to 3 read key/value head 0.
//
// Do not make a copy of a head for each of its readers. `mha::head_of(rows,
// number, d_head)` gives one head's columns without copying, and
// `mha::attention(q, k, v).context` is the attention of chapter 1.
//
// As shipped, every head reads the first key/value head.
//
// hint: Each query head has d_head columns of `q`, as in chapter 2. That part
//   is there already. What changes is which columns of `k` and `v` it reads.
// hint: n_heads / n_kv_heads neighbours share one. Which whole number tells the
//   group that head h is in?
// hint: h / (n_heads / n_kv_heads). Not h / n_kv_heads, which happens to be
//   the same for 4 heads on 2.
#include "exercise/exercise.hpp"

#include "mha/layer.hpp"

// q: (1, n_heads d_head); k and v: (T, n_kv_heads d_head);
// returns (1, n_heads d_head).
mha::Matrix<double> decode_one(const mha::Matrix<double>& q,
                               const mha::Matrix<double>& k,
                               const mha::Matrix<double>& v,
                               mha::Index n_heads, mha::Index n_kv_heads) {
  const mha::Index d_head = q.cols() / n_heads;
  mha::Matrix<double> out(1, q.cols());
  for (mha::Index h = 0; h < n_heads; ++h) {
    const mha::Index kv = 0 * n_kv_heads;
    mha::head_of(out, h, d_head) =
        mha::attention(mha::head_of(q, h, d_head), mha::head_of(k, kv, d_head),
                       mha::head_of(v, kv, d_head))
            .context;
  }
  return out;
}
