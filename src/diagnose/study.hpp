/// \file study.hpp
/// How often a diagnosis is right: random attentions, right and wrong ones.
#pragma once

#include "diagnosis.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace diagnose {

/// What became of cases of one kind.
struct StudyCounts {
  Index right = 0;    ///< right attentions
  Index accused = 0;  ///< of them, not called correct
  Index same = 0;     ///< wrong ones whose output is right, within rounding
  Index wrong = 0;    ///< wrong ones whose output is not
  Index alone = 0;    ///< of them, named, and nothing else
  Index either = 0;   ///< named, among others that fit as well
  Index equal = 0;    ///< another was named that gives the same output here
  Index missed = 0;   ///< nothing was named
  Index other = 0;    ///< only something else was named

  /// \returns the wrong ones that were named
  Index named() const { return alone + either; }
  /// \returns all cases
  Index cases() const { return right + same + wrong; }
};

/// A case by what is needed to make it again.
struct StudyCase {
  std::uint32_t seed = 0;
  std::string truth;    ///< "right", or what is wrong
  std::string found;    ///< what the diagnosis said
  std::string outcome;  ///< "right", "accused", "same", "alone", ...
  std::string kind;     ///< "right", "one bug" or "two bugs"
  std::string type;     ///< of the numbers
  std::string sizes;    ///< for people
};

/// What became of all.
struct Study {
  /// Right ones, single bugs and pairs; then the same by type.
  std::vector<std::pair<std::string, StudyCounts>> rows;
  StudyCounts all;
  std::vector<StudyCase> failed;  ///< accused, missed or other
};

/// One random case, made and diagnosed.
/// \param seed  of everything
/// \returns what became of it
StudyCase study_case(std::uint32_t seed);

/// Many of them, on two threads; the same for the same arguments.
/// \param cases  how many, at least 0
/// \param seed   of the first; the next ones count on
/// \returns the counts
Study study(Index cases, std::uint32_t seed);

/// \param study  the counts
/// \returns lines of a table with a heading
std::string study_table(const Study& study);

}  // namespace diagnose
