// Breaks a right program in every way it offers, and judges the battery.
#pragma once

#include "mutant_counts.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace judging {

// A right program that can be broken.
struct Subject {
  /// What it answers to many calls; a refused one gives an empty matrix.
  std::function<std::vector<mha::Matrix<double>>(const mutants::Mutator&)> run;
  /// What the battery says of it.
  std::function<mha::BatteryReport(const mutants::Mutator&)> check;
};

struct Verdicts {
  std::vector<mutants::Fate> fates;
  std::set<std::string> failed;  // every check that failed for some mutant
};

/// \param subject  a right program
/// \return what became of each of its mutants
Verdicts judge(const Subject& subject);

/// \param fates  of the mutants
/// \return the names of those that change nothing, a line each
std::string equal_ones(const std::vector<mutants::Fate>& fates);

}  // namespace judging
