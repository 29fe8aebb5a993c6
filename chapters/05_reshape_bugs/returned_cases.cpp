#include "cases.hpp"

#include "mha/battery.hpp"

namespace gallery {
namespace {

// [averaged-maps]
// Every head is given the average of all heads' maps.
void average_the_maps(Answer& answer, const Call& call) {
  for (std::size_t first = 0; first < answer.weights.size();) {
    const std::size_t end = first + static_cast<std::size_t>(call.n_heads);
    Numbers sum = answer.weights[first];
    for (std::size_t m = first + 1; m < end; ++m) sum += answer.weights[m];
    while (first < end) {
      answer.weights[first++] = sum / static_cast<double>(call.n_heads);
    }
  }
}

Case averaged_maps() {
  return {.name = "averaged-maps",
          .symptom = "the output is right; the maps are all one blur",
          .mend = "average_attn_weights=False",
          .steps = {.finish = average_the_maps},
          .reports = {{"F1", "each map times its head's values gives its "
                             "head's output"}},
          .shown_on = mha::fixture_call()};
}
// [averaged-maps]

// [exchange axes]
// Rows of items of tokens, (outer inner, width), as tokens of items.
Numbers exchange_axes(const Numbers& rows, Index outer) {
  const Index inner = rows.rows() / outer;
  Numbers exchanged(rows.rows(), rows.cols());
  for (Index b = 0; b < outer; ++b) {
    for (Index t = 0; t < inner; ++t) {
      exchanged.row(t * outer + b) = rows.row(b * inner + t);
    }
  }
  return exchanged;
}
// [exchange axes]

// [sequence-first]
// Takes the batch for the sequence. (It knows no masks, and leaves
// cross-attention alone.)
Call across_the_batch(const Call& call) {
  if (call.q.rows() != call.k.rows()) return call;
  refuse_bad_shapes(call);
  const Index tokens = tokens_of(call);
  Call other = call;
  other.options = {.scale = call.options.scale};
  other.padding.resize(0, 0);
  other.batch = other.kv_batch = tokens;
  other.q = exchange_axes(call.q, call.batch);
  other.k = exchange_axes(call.k, call.batch);
  other.v = exchange_axes(call.v, call.batch);
  return other;
}

Numbers back_across(const Numbers& output, const Call& call) {
  if (call.q.rows() != call.k.rows()) return output;
  return exchange_axes(output, tokens_of(call));
}

Case sequence_first() {
  return {.name = "sequence-first",
          .symptom = "the items of a batch see each other, the tokens do not",
          .mend = "batch_first=True, or exchange the first two axes",
          .rewrite = {across_the_batch, back_across},
          .reports = {{"F3", "items of a batch do not see each other"}},
          .shown_on = mha::random_call(
              51, {.batch = 2, .t_q = 3, .d_head = 4})};
}
// [sequence-first]

// [dropout-when-testing]
Numbers drop_always(const Numbers& weights, const Call& call, Index map) {
  Call in_training = call;
  in_training.training = true;
  return drop_weights(weights, in_training, map);
}

Case dropout_when_testing() {
  Call call = mha::fixture_call();
  call.dropout = 0.5;
  return {.name = "dropout-when-testing",
          .symptom = "a trained model is noisy, and worse than it should be",
          .mend = "dropout only in training: p if self.training else 0",
          .steps = {.drop = drop_always},
          .reports = {{"F4", "two calls outside training are equal"}},
          .shown_on = call};
}
// [dropout-when-testing]

// [dropped-weights]
Numbers return_the_dropped(const Numbers& /*weights*/,
                           const Numbers& dropped) {
  return dropped;
}

Case dropped_weights() {
  Call call = mha::fixture_call();
  call.dropout = 0.1;
  call.training = true;
  return {.name = "dropped-weights",
          .symptom = "weights above 1; rows that do not sum to 1",
          .mend = "return the weights from before the dropout",
          .steps = {.keep = return_the_dropped},
          .reports = {{"E13", "every row of weights sums to 1"}},
          .shown_on = call};
}
// [dropped-weights]

}  // namespace

// [returned cases]
std::vector<Case> returned_cases() {
  return {averaged_maps(), sequence_first(), dropout_when_testing(),
          dropped_weights()};
}
// [returned cases]

}  // namespace gallery
