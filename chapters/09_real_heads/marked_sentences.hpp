// Chapter 9: sentences in which somebody has marked which word belongs to which.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trained {

// [mark]
enum class Relation {
  pronoun_to_person,
  person_to_pronoun,
  verb_to_subject,
  subject_to_verb,
  verb_to_object,
  to_previous,
  to_next,
};

// Two words of one sentence; each stands in it once.
struct Mark {
  Relation relation;
  std::string from, to;
};

struct MarkedSentence {
  std::string text;
  std::vector<Mark> marks;
};

const std::vector<MarkedSentence>& marked_sentences();

// Sentences 2 i and 2 i + 1, for i below the first number, differ in a pronoun
// alone; up to the second, in singular and plural.
inline constexpr int pronoun_pairs = 15, marked_pairs = 24;
// [mark]

// [lesson]
// The sentence that the chapter begins with. Head 1.0 was picked for it, so it
// is none of those that are counted.
inline constexpr std::string_view lesson =
    "the keys that Priya left on the table were not hers";
// [lesson]

}  // namespace trained
