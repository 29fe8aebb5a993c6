#include "show_case.hpp"

#include "mha/measure.hpp"
#include "mha/program.hpp"
#include "mha/svg.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace gallery {
namespace {

// [print numbers]
void print_numbers(const Numbers& numbers) {
  for (Index i = 0; i < numbers.rows(); ++i) {
    fmt::print("  ");
    const Index columns = std::min<Index>(8, numbers.cols());
    for (const double x : numbers.row(i).head(columns)) {
      if (std::isnan(x)) fmt::print("    NaN");
      else if (std::abs(x) >= 1000) fmt::print(" {:6.0e}", x);
      else fmt::print(" {:6.3f}", std::abs(x) < 5e-4 ? 0.0 : x);
    }
    fmt::print("{}\n", numbers.cols() > 8 ? "  ..." : "");
  }
}
// [print numbers]

// [print answer]
void print_answer(const std::string& name, const Attention& attention,
                  const Call& call) {
  try {
    const Answer answer = attention(call);
    fmt::print("{}: where head 0 looks\n", name);
    print_numbers(answer.weights.front());
    fmt::print("{}: the output, a row a token\n", name);
    print_numbers(answer.output);
  } catch (const std::invalid_argument& error) {
    fmt::print("{}: refused, \"{}\"\n", name, error.what());
  }
}
// [print answer]

}  // namespace

// [battery on cases]
const std::vector<mha::BatteryReport>& battery_on_cases() {
  static const std::vector<mha::BatteryReport> all = [] {
    std::vector<mha::BatteryReport> reports;
    for (const Case& one : cases()) {
      reports.push_back(mha::check_attention(one.attention()));
    }
    return reports;
  }();
  return all;
}

bool fails(const Case& one, const std::string& sentence) {
  const auto place = static_cast<std::size_t>(&one - cases().data());
  for (const mha::CheckResult& result : battery_on_cases().at(place).results) {
    if (result.sentence == sentence) return result.fault.has_value();
  }
  throw std::logic_error("no check is called \"" + sentence + "\"");
}
// [battery on cases]

// [print case]
void print_case(const Case& one) {
  mha::heading("Beside the right one");
  print_answer("right", with({}), one.shown_on);
  print_answer(one.name, one.attention(), one.shown_on);

  mha::heading("What the checks say");
  fmt::print("{}", to_string(mha::check_attention(one.attention())));
  if (!one.mend.empty()) fmt::print("to mend it: {}\n", one.mend);
  if (one.verdict == Verdict::no_bug) {
    fmt::print("accused, and not guilty: {}\n", one.symptom);
  }
}
// [print case]

// [print gallery]
void print_gallery() {
  mha::heading("The gallery");
  for (const Case& one : cases()) {
    fmt::print("{:21} {}{}\n", one.name,
               one.verdict == Verdict::no_bug ? "no bug: " : "", one.symptom);
  }
  fmt::print("\n--case NAME runs one beside the right one\n");
}

void print_reports() {
  mha::heading("Bug reports");
  for (const Case& one : cases()) {
    for (const Report& report : one.reports) {
      fmt::print("{} | {} | {} | {}\n", report.row, one.name,
                 fails(one, report.check) ? "caught" : "passed", report.check);
    }
  }
}
// [print gallery]

// [draw names]
namespace {
constexpr double cell = 14, left = 372, top = 132;

void draw_names(mha::Svg& svg) {
  for (std::size_t i = 0; i < mha::checks().size(); ++i) {
    svg.text(left - 8, top + cell * (static_cast<double>(i) + 0.75),
             mha::checks()[i].sentence, "end");
  }
  for (std::size_t j = 0; j < cases().size(); ++j) {
    const double x = left + cell * (static_cast<double>(j) + 0.7);
    const bool no_bug = cases()[j].verdict == Verdict::no_bug;
    svg.text(0, 0, cases()[j].name, "",
             fmt::format("transform='translate({:.1f} {}) rotate(-60)'{}", x,
                         top - 6, no_bug ? " fill='var(--quiet,#666)'" : ""));
  }
}
}  // namespace
// [draw names]

// [draw checks and cases]
std::string draw_checks_and_cases() {
  const double columns = static_cast<double>(cases().size());
  const double rows = static_cast<double>(mha::checks().size());
  mha::Svg svg("Which check catches which case",
               fmt::format("A table of {} checks and {} cases. Every case that "
                           "is a bug fails at least one check; the {} that are "
                           "no bugs fail none.",
                           mha::checks().size(), cases().size(),
                           std::count_if(cases().begin(), cases().end(),
                                         [](const Case& one) {
                                           return one.verdict ==
                                                  Verdict::no_bug;
                                         })));
  svg.open_group("font-size='11'");
  draw_names(svg);
  svg.close_group();
  // [draw checks and cases]
  // [draw the marks]
  svg.open_group("stroke='currentColor' stroke-opacity='0.15'");
  for (double i = 0; i <= rows; ++i) {
    svg.line({left, top + cell * i, left + cell * columns, top + cell * i}, "");
  }
  for (double j = 0; j <= columns; ++j) {
    svg.line({left + cell * j, top, left + cell * j, top + cell * rows}, "");
  }
  svg.close_group();
  for (std::size_t j = 0; j < cases().size(); ++j) {
    for (std::size_t i = 0; i < mha::checks().size(); ++i) {
      if (!battery_on_cases()[j].results[i].fault) continue;
      svg.rectangle(left + cell * static_cast<double>(j) + 1.5,
                    top + cell * static_cast<double>(i) + 1.5, cell - 3,
                    cell - 3, "fill='var(--mark,#b4540a)'",
                    cases()[j].name + ": " + mha::checks()[i].sentence);
    }
  }
  return svg.finish(left + cell * columns + 64, top + cell * rows + 4);
}
// [draw the marks]

}  // namespace gallery
