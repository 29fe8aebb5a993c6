// Chapter 5: attentions that are wrong, and some that were accused wrongly.
#pragma once

#include "attention_steps.hpp"

#include <string>
#include <vector>

namespace gallery {

// [case]
enum class Verdict { bug, no_bug };

// A bug report that this case explains, and the check that would have caught
// the bug before it was reported.
struct Report {
  std::string row;    // of the table of bug reports, such as "A1"
  std::string check;  // its sentence
};

struct Case {
  std::string name;       // as --case takes it
  std::string symptom;    // what one sees
  std::string mend = {};  // what to change
  Steps steps = {};       // that it exchanges
  Rewrite rewrite = {};   // what it makes of the call
  std::vector<Report> reports = {};
  Call shown_on = {};     // the input to print it on
  Verdict verdict = Verdict::bug;

  Attention attention() const { return with(steps, rewrite); }
};
// [case]

// [groups]
std::vector<Case> layout_cases();
std::vector<Case> size_and_scale_cases();
std::vector<Case> mask_cases();
std::vector<Case> softmax_cases();
std::vector<Case> returned_cases();
// [groups]

// [gallery]
// All of them, in the order of the book.
const std::vector<Case>& cases();

// The case of that name; throws if there is none.
const Case& case_named(const std::string& name);
// [gallery]

}  // namespace gallery
