// Solution 5.3: The neighbour's padding
//
// The heads are folded item by item: map m is head m mod H of item m / H. The
// table is folded the other way round. A new dimension in front, expanded,
// repeats the whole table, so its row m belongs to item m mod B. Both lists are
// B H long, and no shape tells them apart. Nor does one item, since every row
// is then the same one; nor do texts of one length; nor does one head, since m
// mod B and m / H are then both m.
//
// The mend is to let the heads come after the items here too: (B, 1, T_k), then
// (B, H, T_k). The stride of the heads is 0 either way, and it is its place
// among the dimensions that says what is repeated. Folding the heads of q, k
// and v with the heads in front would also do, if the way back did the same.
//
// Whoever calls a library that wants one mask for each map has to know which of
// the two orders it means. Test it with two items of different lengths and more
// than one head: the smallest test that can fail.
#include "exercise/exercise.hpp"

#include "mha/attention.hpp"
#include "mha/strided.hpp"

using Tensor = mha::StridedTensor<double>;

// rows: (B, T, H d_head); returns (B H, T, d_head), all heads of item 0 first.
Tensor fold_heads(const Tensor& rows, mha::Index n_heads) {
  const mha::Index b = rows.shape()[0], t = rows.shape()[1];
  const Tensor heads = rows.view({b, t, n_heads, -1}).transpose(1, 2);
  return heads.reshape({b * n_heads, t, heads.shape()[3]}).tensor;
}

// maps: (B H, T, d_head); returns (B, T, H d_head).
Tensor unfold_heads(const Tensor& maps, mha::Index n_heads) {
  const mha::Index b = maps.shape()[0] / n_heads, t = maps.shape()[1];
  const mha::Index d_head = maps.shape()[2];
  const Tensor heads = maps.view({b, n_heads, t, d_head}).transpose(1, 2);
  return heads.reshape({b, t, n_heads * d_head}).tensor;
}

// real: (B, T_k); returns (B H, T_k), a row for each map.
Tensor fold_padding(const Tensor& real, mha::Index n_heads) {
  const mha::Index b = real.shape()[0], t = real.shape()[1];
  const Tensor repeated = real.view({b, 1, t}).expand({b, n_heads, t});
  return repeated.reshape({b * n_heads, t}).tensor;
}

// q: (B, T_q, H d_head); k and v: (B, T_k, H d_head);
// real: (B, T_k), 1 for a token and 0 for padding; returns (B, T_q, H d_head).
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v,
              const Tensor& real, mha::Index n_heads) {
  const Tensor queries = fold_heads(q, n_heads), keys = fold_heads(k, n_heads),
               values = fold_heads(v, n_heads);
  const Tensor padding = fold_padding(real, n_heads);
  std::vector<double> contexts;
  for (mha::Index m = 0; m < queries.shape()[0]; ++m) {
    mha::AttentionOptions options;
    options.keys = mha::AttendMask::where_true_attends(
        mha::matrix_of(padding.narrow(0, m, 1)).array() != 0);
    const mha::Matrix<double> context =
        mha::attention(mha::matrix_of(queries.select(0, m)),
                       mha::matrix_of(keys.select(0, m)),
                       mha::matrix_of(values.select(0, m)), options)
            .context;
    contexts.insert(contexts.end(), context.data(),
                    context.data() + context.size());
  }
  return unfold_heads(Tensor(contexts, queries.shape()), n_heads);
}
