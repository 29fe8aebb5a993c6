// Chapter 5: what the classic bugs look like, and which test catches each.
#include "comparing.hpp"
#include "layout_walks.hpp"
#include "mutant_counts.hpp"
#include "own_attention.hpp"
#include "show_case.hpp"
#include "walks.hpp"

#include "diagnose/diagnosis_report.hpp"
#include "diagnose/example.hpp"
#include "diagnose/hypothesis_picture.hpp"
#include "diagnose/study.hpp"
#include "mha/battery.hpp"
#include "mha/measure.hpp"
#include "mha/program.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace {

// [options]
struct Options {
  walks::Split split;
  std::string one_case;  // of the gallery
  bool gallery = false;
  bool reports = false;
  bool mutants = false;
  bool own = false;
  std::string diagnose;  // an example
  mha::Index broken_head = -1;  // of its output; -1 for none
  bool variations = false;
  mha::Index study = 0;  // cases
  mha::Index first_seed = 1;  // of the study
};
// [options]

// [break head]
// Adds 1 to every number of one head of (B, T, H, d).
void break_head(diagnose::Tensor& out, mha::Index head) {
  mha::require(out.shape.size() == 4 && head < out.shape[2],
               "this example has no such head; leave --broken-head out");
  const mha::Index d = out.shape[3], width = out.shape[2] * d;
  for (mha::Index i = 0; i < std::ssize(out.values); ++i) {
    if (i % width / d == head) out.values[static_cast<std::size_t>(i)] += 1;
  }
}
// [break head]

// [print diagnosis]
void print_diagnosis(const std::string& example, mha::Index broken_head) {
  diagnose::Roles tensors =
      diagnose::roles_of(diagnose::make_example(example));
  if (broken_head >= 0) break_head(tensors.tensors.at("out"), broken_head);
  const std::string text =
      diagnose::report(diagnose::diagnose_tensors(tensors),
                       example + ".safetensors",
                       diagnose::NumberType::float32);
  mha::heading("Diagnosis");
  // All but the last line, which says how long it took.
  fmt::print("{}", text.substr(0, text.rfind('\n', text.size() - 2) + 1));
}
// [print diagnosis]

// [draw hypotheses]
std::string draw_hypotheses() {
  const auto roles_of = [](const char* example) {
    return diagnose::roles_of(diagnose::make_example(example));
  };
  diagnose::Roles broken = roles_of("right");
  break_head(broken.tensors.at("out"), 1);
  return diagnose::draw_hypotheses({{"a raw merge", roles_of("raw-merge")},
                                    {"a right attention", roles_of("right")},
                                    {"a bug nobody knows", broken}});
}
// [draw hypotheses]

// [print variations]
// By the page that explains them.
void print_variations() {
  std::map<std::string, std::string> pages;
  for (const diagnose::Variation& one : diagnose::variations()) {
    pages[one.page] += fmt::format("  {}\n    {}\n    to mend it: {}\n",
                                   one.name, what_text(one), one.mend);
  }
  mha::heading("What a diagnosis knows");
  for (const auto& [page, text] : pages) {
    fmt::print("{}\n{}", mha::page_of_book(page), text);
  }
}
// [print variations]

// [demo]
void demo(const Options& options) {
  mha::require(options.broken_head < 0 || !options.diagnose.empty(),
               "--broken-head breaks a head of an example; name one with "
               "--diagnose");
  mha::require(int{!options.one_case.empty()} + int{options.gallery} +
                       int{options.reports} + int{options.mutants} +
                       int{options.own} + int{!options.diagnose.empty()} +
                       int{options.variations} + int{options.study > 0} <= 1,
               "--case, --cases, --reports, --mutants, --own, --diagnose, "
               "--variations and --study print different things; choose one "
               "of them");
  if (!options.one_case.empty()) {
    gallery::print_case(gallery::case_named(options.one_case));
  } else if (options.reports) {
    gallery::print_reports();
  } else if (!options.diagnose.empty()) {
    print_diagnosis(options.diagnose, options.broken_head);
  } else if (options.study > 0) {
    mha::heading("Precision and recall");
    const auto seed = static_cast<std::uint32_t>(options.first_seed);
    fmt::print("{}",
               diagnose::study_table(diagnose::study(options.study, seed)));
  } else if (options.variations) {
    print_variations();
  } else if (options.own) {
    own::print_own();
  } else if (options.mutants) {
    mutants::print_fates(mutants::plain_fates());
  } else if (options.gallery) {
    gallery::print_gallery();
  } else {
    walks::print_walks(options.split);
    gallery::print_gallery();
  }
}
// [demo]

// [gallery values]
void add_gallery_values(mha::Values& values) {
  const auto count = [&](const std::string& name, std::ptrdiff_t n) {
    values.add(name, static_cast<double>(n), "{:.0f}");
  };
  const auto bugs = [](const std::vector<gallery::Case>& cases) {
    return std::count_if(cases.begin(), cases.end(), [](const auto& one) {
      return one.verdict == gallery::Verdict::bug;
    });
  };
  count("bugs", bugs(gallery::cases()));
  count("mask_bugs", bugs(gallery::mask_cases()));
  count("checks", std::ssize(mha::checks()));
  count("caught_once",
        std::count_if(gallery::battery_on_cases().begin(),
                      gallery::battery_on_cases().end(),
                      [](const auto& report) { return report.failed() == 1; }));
  const auto excess = [&](const std::string& name, double divisor) {
    values.add(name, 100 * (std::sqrt(divisor / 128) - 1), "{:.0f} %");
  };
  count("variations", std::ssize(diagnose::variations()));
  values.add("rounding_factor", diagnose::rounding_factor, "{:.0f}");
  excess("gemma2_scale_error", 144);
  excess("gemma3_scale_error", 168);
}
// [gallery values]

// [half values]
void add_half_values(mha::Values& values) {
  const gallery::Call call =
      mha::random_call(66, {.t_q = 6, .t_k = 40, .d_head = 16});
  const gallery::Numbers exact = gallery::attend(call).output;
  const gallery::Numbers half = gallery::attend_in_half(
      call, gallery::KeyOrder::backward, 0.25);
  values.add("worst_relative_error",
             100 * gallery::worst_relative_error(half, exact), "{:.0f} %");
  values.add("half_error", mha::max_abs_difference(half, exact), "{:.4f}");
}
// [half values]

// [mutant values]
void add_mutant_values(mha::Values& values) {
  const std::vector<mutants::Fate>& all = mutants::plain_fates();
  const auto count = [&](const std::string& name, auto holds) {
    values.add(name, static_cast<double>(
                         std::count_if(all.begin(), all.end(), holds)),
               "{:.0f}");
  };
  using mutants::Fate;
  count("mutants", [](const Fate&) { return true; });
  count("mutants_equal", [](const Fate& one) { return !one.changes; });
  count("mutants_changing", [](const Fate& one) { return one.changes; });
  count("mutants_caught",
        [](const Fate& one) { return one.changes && one.caught; });
}
// [mutant values]

// [values]
mha::Values values(const Options& options) {
  mha::Values values;
  walks::add_values(values, options.split);
  add_gallery_values(values);
  add_half_values(values);
  add_mutant_values(values);
  return values;
}
// [values]

}  // namespace

// [main]
int main(int argc, char** argv) {
  Options options;
  walks::Split& split = options.split;
  const mha::Chapter chapter = {
      .name = "reshape_bugs",
      .about = "The classic bugs of an attention layer, each beside its check.",
      .options = {{"--tokens", &split.tokens, "number of tokens", 1, 64},
                  {"--heads", &split.heads, "number of heads", 1, 64},
                  {"--d-head", &split.d_head, "width of a head", 1, 64},
                  {"--case", &options.one_case, "one layer of the gallery", 0, 0,
                   mha::names_of(gallery::cases())},
                  {"--cases", &options.gallery, "list the gallery"},
                  {"--reports", &options.reports, "list the bug reports"},
                  {"--mutants", &options.mutants,
                   "break a right attention in every way and count"},
                  {"--diagnose", &options.diagnose, "diagnose an example", 0, 0,
                   mha::names_of(gallery::cases())},
                  {"--broken-head", &options.broken_head,
                   "break this head of its output first", 0, 63},
                  {"--study", &options.study,
                   "diagnose so many random attentions", 0, 1000000},
                  {"--first-seed", &options.first_seed,
                   "of these attentions", 1, 1000000000},
                  {"--variations", &options.variations,
                   "list what a diagnosis knows"},
                  {"--own", &options.own,
                   "the report on an attention as readers have them"}},
      .demo = [&] { demo(options); },
      .values = [&] { return values(options); },
      .figures = {{"two_ways", [&] { return walks::draw_two_ways(split); }},
                  {"flattening", walks::draw_flattening},
                  {"checks", gallery::draw_checks_and_cases},
                  {"splits", gallery::draw_split_walks},
                  {"packed", gallery::draw_packed_walks},
                  {"merges", gallery::draw_merge_walks},
                  {"keys", gallery::draw_key_walks},
                  {"shared", gallery::draw_shared_walks},
                  {"batches", gallery::draw_batch_walks},
                  {"hypotheses", draw_hypotheses}}};
  return mha::run_chapter(chapter, argc, argv);
}
// [main]
