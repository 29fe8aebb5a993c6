// How often a diagnosis is right.
#include "diagnose/study.hpp"

#include <doctest/doctest.h>

namespace {

const diagnose::Study& many() {
  static const diagnose::Study study = diagnose::study(STUDY_CASES, 1000);
  return study;
}

}  // namespace

TEST_CASE("no right attention is accused") {
  CHECK(many().all.cases() == STUDY_CASES);
  CHECK(many().all.right > STUDY_CASES / 3);
  for (const diagnose::StudyCase& one : many().failed) {
    CAPTURE(one.seed);
    CAPTURE(one.found);
    CAPTURE(one.sizes);
    CHECK(one.outcome != "accused");
  }
}

TEST_CASE("of 100 wrong attentions 99 are named, or another that equals it") {
  MESSAGE(diagnose::study_table(many()));
  const diagnose::StudyCounts& all = many().all;
  CHECK(all.wrong > STUDY_CASES / 3);
  CHECK((all.named() + all.equal) * 100 >= all.wrong * 99);
  CHECK(all.other * 500 <= all.wrong);
}

TEST_CASE("a study is the same for the same seed") {
  CHECK(diagnose::study_table(diagnose::study(20, 5)) ==
        diagnose::study_table(diagnose::study(20, 5)));
}
