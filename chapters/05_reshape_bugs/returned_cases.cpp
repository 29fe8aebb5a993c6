#include "cases.hpp"
#include "checks.hpp"

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
          .attention = with({.finish = average_the_maps}),
          .reports = {{"F1", "each map times its head's values gives its "
                             "head's output"}},
          .shown_on = fixture()};
}
// [averaged-maps]

// [sequence-first]
// Takes row t batch + b for token t of item b: the other order of the rows.
Numbers take_sequence_first(const Rows& rows, Index b, Index h) {
  Numbers head(rows.tokens(), rows.d_head());
  for (Index t = 0; t < head.rows(); ++t) {
    head.row(t) = rows.matrix.row(t * rows.batch + b)
                      .segment(h * rows.d_head(), rows.d_head());
  }
  return head;
}

void put_sequence_first(Numbers& output, const Numbers& context,
                        const Call& call, Index b, Index h) {
  for (Index t = 0; t < context.rows(); ++t) {
    output.row(t * call.batch + b)
        .segment(h * context.cols(), context.cols()) = context.row(t);
  }
}

Case sequence_first() {
  return {.name = "sequence-first",
          .symptom = "right for a batch of one; items are mixed otherwise",
          .attention = with({.take = take_sequence_first,
                             .put = put_sequence_first}),
          .reports = {{"F3", "items of a batch do not see each other"}},
          .shown_on = random_call(51, 2, 3, 1, 4)};
}
// [sequence-first]

// [dropout-when-testing]
Numbers drop_always(const Numbers& weights, const Call& call, Index map) {
  Call in_training = call;
  in_training.training = true;
  return drop_weights(weights, in_training, map);
}

Case dropout_when_testing() {
  Call call = fixture();
  call.dropout = 0.5;
  return {.name = "dropout-when-testing",
          .symptom = "a trained model is noisy, and worse than it should be",
          .attention = with({.drop = drop_always}),
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
  Call call = fixture();
  call.dropout = 0.1;
  call.training = true;
  return {.name = "dropped-weights",
          .symptom = "weights above 1; rows that do not sum to 1",
          .attention = with({.keep = return_the_dropped}),
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
