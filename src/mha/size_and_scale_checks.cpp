#include "mha/battery.hpp"

#include <cmath>
#include <stdexcept>

namespace mha {
namespace {

// [batches of different sizes are refused]
// What is wrong, unless the call is refused.
std::string unless_refused(Trial& trial, const AttentionCall& call,
                           const std::string& what) {
  try {
    trial.ask(call);
  } catch (const std::invalid_argument&) {
    return "";
  }
  return what + ": accepted without a word";
}

std::string different_batches(Trial& trial) {
  AttentionCall call =
      random_call(16, {.batch = 4, .t_q = 3, .n_heads = 2, .d_head = 4});
  call.q = call.q.topRows(3).eval();
  call.batch = 1;
  return unless_refused(trial, call, "queries for 1 item, keys for 4");
}
// [batches of different sizes are refused]

// [a head count that does not divide the width is refused]
std::string uneven_heads(Trial& trial) {
  AttentionCall call = random_call(17, {.t_q = 3, .d_head = 8});
  call.n_heads = call.n_kv_heads = 3;
  return unless_refused(trial, call, "8 columns for 3 heads");
}
// [a head count that does not divide the width is refused]

// [the scale is one over the root of d_head]
std::string scale(Trial& trial) {
  const AttentionCall sizes =
      random_call(20, {.t_q = 2, .n_heads = 2, .d_head = 4});
  AttentionCall call = sizes;
  call.q.setConstant(1);
  call.k.setZero();
  call.k.row(1).setConstant(std::log(3.0) / 2);  // dot product 2 ln 3
  call.v.row(0).setConstant(0);
  call.v.row(1).setConstant(1);
  // So the scaled scores are 0 and ln 3, and value 1 has a weight of 3/4.
  return trial.compare("dot products 0 and 2 ln 3, d_head 4: token 0",
                       Matrix<double>::Constant(1, 8, 0.75),
                       trial.output(call).row(0));
}
// [the scale is one over the root of d_head]

// [a scale that is given is used]
std::string given_scale(Trial& trial) {
  AttentionCall call = one_row({0, 1});
  call.options.scale = std::log(3.0);
  return trial.compare("dot products 0 and 1, scale ln 3",
                       Matrix<double>::Constant(1, 1, 0.75),
                       trial.output(call));
}
// [a scale that is given is used]

}  // namespace

// [size and scale checks]
std::vector<Check> size_and_scale_checks() {
  const std::string page = "05b_wrong_masks";
  return {{"batches of different sizes are refused", different_batches,
           {&Abilities::refuses, &Abilities::batches}, false, page},
          {"a head count that does not divide the width is refused",
           uneven_heads, {&Abilities::refuses}, false, page},
          {"the scale is one over the root of d_head", scale, {}, false, page},
          {"a scale that is given is used", given_scale,
           {&Abilities::scale, &Abilities::cross}, false, page}};
}
// [size and scale checks]

}  // namespace mha
