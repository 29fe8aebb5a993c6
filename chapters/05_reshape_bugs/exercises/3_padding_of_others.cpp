// Exercise 5.3: The neighbour's padding
// kind: find the bug
// difficulty: 2
// section: a-layer-in-steps
// check: every head uses the padding of its own item
//
// The texts of a batch have different lengths, so the short ones are padded,
// and a table says which tokens are real. This layer splits every item into
// heads, puts all heads of all items into one list of maps, B times H of them,
// and gives each map its row of that table.
//
// Its author tried it on one text, on many texts of one length and with a
// single head. It was right every time. On real batches some heads read padding
// and others skip words, and nobody has noticed.
//
// Find what is wrong and repair it. Every shape is already as it should be.
//
// hint: In the message, look at what was got. Whose real tokens are these?
// hint: The list of maps begins with all heads of item 0. So map m belongs to
//   item m / H. To which item does row m of the folded table belong?
// hint: An expanded dimension repeats what stands behind it. With shape `(H, B,
//   T_k)` the whole table is there H times: item 0, item 1, item 0, item 1. You
//   want item 0, item 0, item 1, item 1.
// hint: The heads have to come after the items: give the table the shape `(B,
//   1, T_k)`, expand it to `(B, H, T_k)`, and then fold.
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
  const Tensor repeated = real.view({1, b, t}).expand({n_heads, b, t});
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
