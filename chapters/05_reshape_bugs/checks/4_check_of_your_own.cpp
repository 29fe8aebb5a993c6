#include "exercise/exercise.hpp"

#include "mha/attention.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

struct Batch {
  mha::Matrix<double> q, k, v;  // (items tokens, n_heads d_head)
  mha::Index items, n_heads;
};

using Attention = std::function<mha::Matrix<double>(const Batch&)>;

std::string find_fault(const Attention& attention);

namespace {

using mha::Index;
using Numbers = mha::Matrix<double>;

// A layer, and what to say of it when it is taken for the other kind.
struct Suspect {
  std::string name;
  Attention attention;
  std::string about;
};

Numbers rows_of(const Numbers& all, Index items, Index item) {
  const Index tokens = all.rows() / items;
  return all.middleRows(item * tokens, tokens);
}

void refuse_bad_shapes(const Batch& batch) {
  mha::require(batch.items > 0 && batch.q.rows() % batch.items == 0 &&
                   batch.k.rows() % batch.items == 0,
               "{} rows of queries and {} of keys do not make a batch of {}",
               batch.q.rows(), batch.k.rows(), batch.items);
  mha::require(batch.n_heads > 0 && batch.q.cols() % batch.n_heads == 0,
               "n_heads = {} does not divide the width {}", batch.n_heads,
               batch.q.cols());
}

// One head of one item.
using OneHead = std::function<Numbers(const Numbers& q, const Numbers& k,
                                      const Numbers& v, const Batch& batch)>;

Numbers plain_head(const Numbers& q, const Numbers& k, const Numbers& v,
                   const Batch&) {
  return mha::attention(q, k, v).context;
}

// The right loop over items and heads.
Numbers attend(const Batch& batch, const OneHead& one_head) {
  refuse_bad_shapes(batch);
  const Index tokens = batch.q.rows() / batch.items;
  const Index d = batch.q.cols() / batch.n_heads;
  Numbers output(batch.q.rows(), batch.q.cols());
  for (Index b = 0; b < batch.items; ++b)
    for (Index h = 0; h < batch.n_heads; ++h) {
      const auto take = [&](const Numbers& all) -> Numbers {
        return rows_of(all, batch.items, b).middleCols(h * d, d);
      };
      output.block(b * tokens, h * d, tokens, d) =
          one_head(take(batch.q), take(batch.k), take(batch.v), batch);
    }
  return output;
}

Numbers plain(const Batch& batch) { return attend(batch, plain_head); }

// Right ones.

Numbers scaled_query(const Batch& batch) {
  return attend(batch, [](const Numbers& q, const Numbers& k, const Numbers& v,
                          const Batch&) -> Numbers {
    mha::AttentionOptions options;
    options.scale = 1;
    const Numbers scaled = q / std::sqrt(static_cast<double>(q.cols()));
    return mha::attention(scaled, k, v, options).context;
  });
}

// (tokens, heads, d_head), then the two exchanged.
Numbers transposed_split(const Batch& batch) {
  refuse_bad_shapes(batch);
  const Index d = batch.q.cols() / batch.n_heads;
  const auto take = [&](const Numbers& all, Index b, Index h) {
    const Index tokens = all.rows() / batch.items;
    Numbers head(tokens, d);
    for (Index t = 0; t < tokens; ++t)
      for (Index c = 0; c < d; ++c) {
        head(t, c) =
            all.data()[((b * tokens + t) * batch.n_heads + h) * d + c];
      }
    return head;
  };
  const Index tokens = batch.q.rows() / batch.items;
  Numbers output(batch.q.rows(), batch.q.cols());
  for (Index b = 0; b < batch.items; ++b)
    for (Index h = 0; h < batch.n_heads; ++h) {
      output.block(b * tokens, h * d, tokens, d) =
          mha::attention(take(batch.q, b, h), take(batch.k, b, h),
                         take(batch.v, b, h))
              .context;
    }
  return output;
}

// Sums over as many keys at a time as the batch has items, then over the sums.
Numbers tiles_by_batch(const Batch& batch) {
  return attend(batch, [](const Numbers& q, const Numbers& k, const Numbers& v,
                          const Batch& all) -> Numbers {
    const Numbers weights = mha::attention(q, k, v).weights;
    Numbers context = Numbers::Zero(q.rows(), v.cols());
    for (Index first = 0; first < k.rows(); first += all.items) {
      const Index size = std::min(all.items, k.rows() - first);
      Numbers tile = Numbers::Zero(q.rows(), v.cols());
      for (Index j = first; j < first + size; ++j) {
        tile += weights.col(j) * v.row(j);
      }
      context += tile;
    }
    return context;
  });
}

// Wrong ones.

// Row t items + i of the result is row i tokens + t of what is given.
Numbers other_order(const Numbers& all, Index outer) {
  const Index inner = all.rows() / outer;
  Numbers result(all.rows(), all.cols());
  for (Index i = 0; i < outer; ++i)
    for (Index t = 0; t < inner; ++t) {
      result.row(t * outer + i) = all.row(i * inner + t);
    }
  return result;
}

Numbers sequence_first(const Batch& batch) {
  refuse_bad_shapes(batch);
  // Read as (tokens, items), and brought into the order (items, tokens).
  const auto take = [&](const Numbers& all) {
    return other_order(all, all.rows() / batch.items);
  };
  return other_order(plain({take(batch.q), take(batch.k), take(batch.v),
                            batch.items, batch.n_heads}),
                     batch.items);
}

Numbers one_long_text(const Batch& batch) {
  refuse_bad_shapes(batch);
  return plain({batch.q, batch.k, batch.v, 1, batch.n_heads});
}

Numbers keys_of_item_0(const Batch& batch) {
  refuse_bad_shapes(batch);
  Batch wrong = batch;
  wrong.k = rows_of(batch.k, batch.items, 0).replicate(batch.items, 1);
  wrong.v = rows_of(batch.v, batch.items, 0).replicate(batch.items, 1);
  return plain(wrong);
}

Numbers next_values(const Batch& batch) {
  refuse_bad_shapes(batch);
  Batch wrong = batch;
  const Index tokens = batch.v.rows() / batch.items;
  for (Index b = 0; b < batch.items; ++b) {
    wrong.v.middleRows(b * tokens, tokens) =
        rows_of(batch.v, batch.items, (b + 1) % batch.items);
  }
  return plain(wrong);
}

Numbers centred_queries(const Batch& batch) {
  refuse_bad_shapes(batch);
  Batch wrong = batch;
  const Numbers mean = batch.q.colwise().mean();
  wrong.q.rowwise() -= mha::RowVector<double>(mean);
  return plain(wrong);
}

Numbers nothing_but_nan(const Batch& batch) {
  return Numbers::Constant(batch.q.rows(), batch.q.cols(),
                           std::numeric_limits<double>::quiet_NaN());
}

// What the reader's check says, or why it stopped.
struct Verdict {
  std::string said;
  bool stopped = false;
};

Verdict verdict_on(const Attention& attention) {
  try {
    return {find_fault(attention)};
  } catch (const std::exception& error) {
    return {error.what(), true};
  }
}

void expect_found(const Suspect& suspect) {
  const Verdict verdict = verdict_on(suspect.attention);
  mha::expect(!verdict.stopped,
              fmt::format("{}: your check stopped: {}\nIt has to return what "
                          "it found.", suspect.name, verdict.said));
  mha::expect(!verdict.said.empty(),
              fmt::format("missed {}: expected a sentence, got an empty "
                          "string\n{}", suspect.name, suspect.about));
}

void expect_no_fault(const Suspect& suspect) {
  const Verdict verdict = verdict_on(suspect.attention);
  mha::expect(!verdict.stopped,
              fmt::format("{}: your check stopped: {}\nThe layer is right. "
                          "Was it given a batch whose sizes fit?",
                          suspect.name, verdict.said));
  mha::expect(verdict.said.empty(),
              fmt::format("accused {}: expected an empty string, got \"{}\"\n"
                          "{}", suspect.name, verdict.said, suspect.about));
}

}  // namespace

TEST_CASE("it finds the layer that takes tokens for items") {
  expect_found({"sequence-first", sequence_first,
                "It takes row t * items + i for token t of item i, on the way "
                "in and on the way out, so items read each other. Its shapes "
                "are right, and with one item or one token so is all the "
                "rest."});
}

TEST_CASE("it accuses no right layer") {
  const std::vector<Suspect> right = {
      {"the plain layer", plain, "Nothing is wrong with it: every head of "
                                 "every item is attention by itself."},
      {"scaled queries", scaled_query,
       "It divides the queries by the root of d_head instead of the scores. "
       "Algebra does not care."},
      {"the transposed split", transposed_split,
       "It reads memory as (tokens, heads, d_head). That is how it lies."},
      {"tiles by batch", tiles_by_batch,
       "It adds up as many keys at a time as the batch has items. In another "
       "batch the sums are rounded in another order, so the last digits "
       "differ. How far apart may two right answers be?"}};
  for (const Suspect& suspect : right) expect_no_fault(suspect);
}

TEST_CASE("it finds every other way to look at a neighbour") {
  const std::vector<Suspect> wrong = {
      {"one long text", one_long_text,
       "Every query sees the keys of all items, as if the batch were one text. "
       "Was there more than one item?"},
      {"keys of item 0", keys_of_item_0,
       "All items read the keys and values of item 0. Item 0 itself is right, "
       "whatever the others hold. Did you look at the others?"},
      {"next values", next_values,
       "The keys are the item's own, but the values are the next item's. Did "
       "you change values, too?"},
      {"centred queries", centred_queries,
       "It takes the mean of all queries of the batch off each, as a batch "
       "norm does that was left in training. Keys and values stay with their "
       "items. Did you change queries, too?"}};
  for (const Suspect& suspect : wrong) expect_found(suspect);
}

TEST_CASE("it is not content with NaN") {
  expect_found({"nothing but NaN", nothing_but_nan,
                "Every number it returns is NaN. A comparison with NaN is "
                "false: `difference > bound` lets it pass, `!(difference <= "
                "bound)` does not."});
}
