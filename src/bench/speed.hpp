/// \file speed.hpp
/// Measures attentions, each beside the machine's peak of the same moment.
#pragma once

#include "bench_run.hpp"

#include "mha/fused_block.hpp"
#include "mha/matrix.hpp"

#include <functional>
#include <string>

namespace bench {

/// An attention to be measured.
struct Contender {
  std::string what;                                 ///< its name
  std::function<void(const mha::FusedCall&)> attend;  ///< computes the call
  int threads = 1;                                  ///< that it works with
  bool causal = false;          ///< whether it can hide later keys
  std::int64_t most_tokens = 0;  ///< beyond which it would take too long
};

/// Inputs and output of one size, with heads one after the other in memory, as
/// PyTorch's function takes them.
class Inputs {
 public:
  /// \param tokens  queries, and keys
  /// \param heads   of 64 columns
  /// \param causal  whether later keys are hidden
  Inputs(mha::Index tokens, mha::Index heads, bool causal);
  /// \return the call; it points into this object
  const mha::FusedCall& call() const { return call_; }
  /// \return 4 T^2 d_head operations a head, or half of them when causal
  double operations() const;

 private:
  mha::Matrix<float> q_, k_, v_, out_;  // (heads T, 64)
  mha::FusedCall call_;
};

/// Measures for `seconds`, and at least five times, with the peak before and
/// after each.
/// \param contender  what to measure
/// \param inputs     at which size
/// \param seconds    for about how long
/// \return its speed
Speed measure(const Contender& contender, const Inputs& inputs,
              double seconds);

/// \param fused   whether the fused one, else the naive
/// \param tokens  queries, and keys, of one head of 64 columns
/// \return MiB by which the peak of a process of its own grows, as the
///         operating system counts; negative when the process failed
double memory_of(bool fused, mha::Index tokens);

}  // namespace bench
