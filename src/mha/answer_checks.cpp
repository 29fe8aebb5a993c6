#include "mha/battery.hpp"

namespace mha {
namespace {

// [the weights have one map a head and one column a key]
std::string shape_of_weights(Trial& trial) {
  const AttentionCall call = trial.random_input(7);
  const auto weights = trial.ask(call).weights;
  if (static_cast<Index>(weights.size()) != call.batch * call.n_heads) {
    return fmt::format("{} items of {} heads: expected {} maps, got {}",
                       call.batch, call.n_heads, call.batch * call.n_heads,
                       weights.size());
  }
  for (const Matrix<double>& map : weights) {
    if (map.rows() != tokens_of(call) || map.cols() != keys_of(call)) {
      return fmt::format("{} queries, {} keys: expected maps of {} x {}, got "
                         "{} x {}", tokens_of(call), keys_of(call),
                         tokens_of(call), keys_of(call), map.rows(),
                         map.cols());
    }
  }
  return "";
}
// [the weights have one map a head and one column a key]

// [each map times its head's values gives its head's output]
std::string weights_make_the_output(Trial& trial) {
  const AttentionCall call = trial.random_input(8);
  trial.output(call);  // checks its shape
  const AttentionAnswer answer = trial.ask(call);
  const Index t_q = tokens_of(call), t_k = keys_of(call), d = d_head_of(call);
  for (Index m = 0; m < call.batch * call.n_heads; ++m) {
    const Index b = m / call.n_heads, h = m % call.n_heads;
    const Index kv = h / (call.n_heads / call.n_kv_heads);
    const Matrix<double>& map = answer.weights.at(static_cast<std::size_t>(m));
    require(map.rows() == t_q && map.cols() == t_k,
            "a map is {} x {}, expected {} x {}", map.rows(), map.cols(), t_q,
            t_k);
    const Matrix<double> again = map * call.v.block(b * t_k, kv * d, t_k, d);
    if (trial.differ(again, answer.output.block(b * t_q, h * d, t_q, d))) {
      return fmt::format("the map returned for head {} is not the one that "
                         "made its output", h);
    }
  }
  return "";
}
// [each map times its head's values gives its head's output]

// [asking for the weights changes no output]
std::string asking_for_weights(Trial& trial) {
  AttentionCall call = trial.random_input(18);
  if (trial.abilities().causal) call.options.causal = Causal::bottom_right;
  if (!trial.abilities().empty_rows && tokens_of(call) > keys_of(call)) {
    return "";
  }
  const Matrix<double> with_weights = trial.output(call);
  call.need_weights = false;
  return trial.differ(with_weights, trial.output(call))
             ? "the output is another when the weights are not asked for"
             : "";
}
// [asking for the weights changes no output]

// [two calls outside training are equal]
std::string two_calls(Trial& trial) {
  AttentionCall call = trial.random_input(19);
  call.dropout = 0.5;
  const Matrix<double> first = trial.output(call);
  call.seed = 1;
  return trial.differ(first, trial.output(call))
             ? "two calls when testing differ"
             : "";
}
// [two calls outside training are equal]

}  // namespace

// [answer checks]
std::vector<Check> answer_checks() {
  using A = Abilities;
  const std::string page = "05c_wrong_softmax";
  return {{"the weights have one map a head and one column a key",
           shape_of_weights, {&A::weights}, true, page},
          {"each map times its head's values gives its head's output",
           weights_make_the_output, {&A::weights}, true, page},
          {"asking for the weights changes no output", asking_for_weights,
           {&A::weights}, true, page},
          {"two calls outside training are equal", two_calls, {}, true,
           page}};
}
// [answer checks]

}  // namespace mha
