/// \file speed.hpp
/// Measures attentions, each beside the machine's peak of the same moment.
#pragma once

#include "bench_run.hpp"

#include "mha/fused_block.hpp"
#include "mha/matrix.hpp"

#include <deque>
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
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;
  /// \return the call; it points into this object
  const mha::FusedCall& call() const { return call_; }
  /// \return 4 T^2 d_head operations a head, or half of them when causal
  double operations() const;

 private:
  mha::Matrix<float> q_, k_, v_, out_;  // (heads T, 64)
  mha::FusedCall call_;
};

/// Measures for `seconds`, and at least five times, with the peak before and
/// after each. Where in memory the inputs lie decides what pushes what out of
/// the caches, and changes the speed by several percent; so it takes turns.
/// \param contender  what to measure
/// \param places     inputs of one size, in different places of memory
/// \param seconds    for about how long
/// \return its speed
Speed measure(const Contender& contender, const std::deque<Inputs>& places,
              double seconds);

/// \param fused   whether the fused one, else the naive
/// \param tokens  queries, and keys, of one head of 64 columns
/// \return MiB by which the peak of a process of its own grows, as the
///         operating system counts; negative when the process failed
double memory_of(bool fused, mha::Index tokens);

}  // namespace bench
