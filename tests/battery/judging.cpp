#include "judging.hpp"

#include <algorithm>

namespace judging {

Verdicts judge(const Subject& subject) {
  std::vector<mutants::Mutant> mutants;
  const auto right = subject.run(mutants::Mutator(mutants));
  Verdicts verdicts;
  for (const mutants::Mutant& mutant : mutants) {
    const mutants::Mutator m(mutant);
    const auto wrong = subject.run(m);
    mutants::Fate fate = {mutant};
    fate.changes = !std::equal(right.begin(), right.end(), wrong.begin(),
                               wrong.end(), [](const auto& a, const auto& b) {
                                 return !mutants::far_apart(a, b);
                               });
    for (const mha::CheckResult& one : subject.check(m).results) {
      if (!one.fault) continue;
      fate.caught = true;
      verdicts.failed.insert(one.sentence);
    }
    verdicts.fates.push_back(fate);
  }
  return verdicts;
}

std::string equal_ones(const std::vector<mutants::Fate>& fates) {
  std::string names;
  for (const mutants::Fate& one : fates) {
    if (!one.changes) names += mutants::name_of(one.mutant) + "\n";
  }
  return names;
}

}  // namespace judging
