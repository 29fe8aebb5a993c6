// Chapter 5: which mutants change anything, and which of those are caught.
#pragma once

#include "mutation.hpp"

#include "mha/battery.hpp"

namespace mutants {

// [fate]
// What became of one mutant.
struct Fate {
  Mutant mutant = {};
  bool changes = false;  // the function, on some call
  bool caught = false;   // by the battery
  std::string check = {};  // the first that failed
};
// [fate]

// [mutable attention]
// A program whose expressions can be exchanged.
using MutableAttention = std::function<mha::AttentionAnswer(
    const mha::AttentionCall& call, const Mutator& m)>;

// Random calls of all sizes with all kinds of masks, shortest first, among
// them calls with large scores, with hidden NaN and with sizes to refuse.
std::vector<mha::AttentionCall> random_calls(Index count,
                                             const mha::Abilities& abilities);

// Whether two answers differ beyond rounding; NaN equals NaN here.
bool far_apart(const mha::Matrix<double>& a, const mha::Matrix<double>& b);

// Every mutant, found by running the right program on the calls.
std::vector<Mutant> all_mutants(const MutableAttention& program,
                                const std::vector<mha::AttentionCall>& calls);

// What becomes of each. Whether it changes anything is found without the
// battery, by comparing it with the right program on every call.
std::vector<Fate> fates(const MutableAttention& program,
                        const std::vector<mha::AttentionCall>& calls,
                        const mha::Abilities& abilities);

// Those of the plain attention, worked out once.
const std::vector<Fate>& plain_fates();
void print_fates(const std::vector<Fate>& fates);
// [mutable attention]

}  // namespace mutants
