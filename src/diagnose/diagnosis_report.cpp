#include "diagnosis_report.hpp"

#include "mha/battery.hpp"
#include "mha/svg.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace diagnose {
namespace {

std::string size_text(double error) {
  if (error == 0) return "0";
  return std::isfinite(error) ? fmt::format("{:.2g}", error) : "everything";
}

std::string how_well(const Fit& fit) {
  return fmt::format("off by {} of the output's size; rounding explains {}",
                     size_text(fit.error), size_text(fit.allowed));
}

// Of two bugs, each under its name.
void add_bug(std::string& text, const Fit& fit) {
  const bool two = fit.hypothesis.parts.size() > 1;
  for (const Variation* part : fit.hypothesis.parts) {
    if (two) text += fmt::format("  {}\n", part->name);
    for (const std::string& line :
         {what_text(*part), "to mend it: " + part->mend,
          "explained on " + mha::page_of_book(part->page)}) {
      text += fmt::format("  {}{}\n", two ? "  " : "", line);
    }
  }
  text += fmt::format("  {}\n  read as {}\n", how_well(fit), fit.reading);
}

// "0 to 3, 7" of the places where `share` is above 0.
std::string places(const std::vector<Index>& these) {
  std::string text;
  int runs = 0;
  for (std::size_t i = 0; i < these.size();) {
    std::size_t end = i;
    while (end + 1 < these.size() && these[end + 1] == these[end] + 1) ++end;
    if (++runs > 6) return text + ", ...";
    text += text.empty() ? "" : ", ";
    text += end == i ? fmt::format("{}", these[i])
                     : fmt::format("{} to {}", these[i], these[end]);
    i = end + 1;
  }
  return text;
}

// One line on an axis, unless all of it, or nothing, differs.
void add_axis(std::string& text, const std::string& what,
              const std::vector<double>& share) {
  std::vector<Index> differ;
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (share[i] > 0) differ.push_back(static_cast<Index>(i));
  }
  if (share.size() < 2) return;
  if (differ.size() == share.size()) {
    text += fmt::format("  {}: all {}\n", what, share.size());
  } else {
    text += fmt::format("  {}: {} of 0 to {}\n", what, places(differ),
                        share.size() - 1);
  }
}

std::vector<double> by_item(const Differences& where) {
  std::vector<double> share;
  for (Index b = 0; b < where.by_row.rows(); ++b) {
    share.push_back(where.by_row.row(b).maxCoeff());
  }
  return share;
}

std::vector<double> by_token(const Differences& where) {
  std::vector<double> share;
  for (Index t = 0; t < where.by_row.cols(); ++t) {
    share.push_back(where.by_row.col(t).maxCoeff());
  }
  return share;
}

std::vector<double> by_head(const Differences& where) {
  std::vector<double> share;
  const Index d = where.by_column.cols() / where.heads;
  for (Index h = 0; h < where.heads; ++h) {
    share.push_back(where.by_column.middleCols(h * d, d).maxCoeff());
  }
  return share;
}

std::vector<double> by_column(const Differences& where) {
  return {where.by_column.data(),
          where.by_column.data() + where.by_column.size()};
}

std::string where_text(const Differences& where) {
  std::string text = fmt::format(
      "{} of {} numbers differ by more than rounding{}\n", where.differing,
      where.compared,
      where.every_row ? "" : " (of a large output, some rows were compared)");
  if (where.differing == 0) return text;
  add_axis(text, "items", by_item(where));
  add_axis(text, "rows", by_token(where));
  if (where.heads > 1) {
    add_axis(text, "heads", by_head(where));
  }
  add_axis(text, "columns", by_column(where));
  return text;
}

std::string join_names(const std::vector<Fit>& fits, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < fits.size(); ++i) {
    text += (text.empty() ? "" : ", ") + fits[i].hypothesis.name();
  }
  return text;
}

void add_correct(std::string& text, const Diagnosis& diagnosis,
                 NumberType type) {
  const Fit& fit = diagnosis.fits[0];
  text += fmt::format("correct, within rounding for {}\n  {}\n  read as {}\n",
                      name(type), how_well(fit), fit.reading);
  if (!diagnosis.same_here.empty()) {
    text += fmt::format("not to be seen on this input: {}\n",
                        join_names(diagnosis.same_here, 0));
  }
}

void add_named(std::string& text, const Diagnosis& diagnosis) {
  const bool one = diagnosis.fits.size() == 1;
  text += fmt::format("{}{}\n", one ? "" : "either ",
                      diagnosis.fits[0].hypothesis.name());
  add_bug(text, diagnosis.fits[0]);
  for (std::size_t i = 1; i < std::min<std::size_t>(6, diagnosis.fits.size());
       ++i) {
    text += fmt::format("or {}, which this input cannot tell from it\n",
                        diagnosis.fits[i].hypothesis.name());
    add_bug(text, diagnosis.fits[i]);
  }
  if (diagnosis.fits.size() > 6) {
    text += fmt::format("or one of {} more: {}\n", diagnosis.fits.size() - 6,
                        join_names(diagnosis.fits, 6));
  }
}

nlohmann::ordered_json json_of(const Fit& fit) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const Variation* part : fit.hypothesis.parts) {
    parts.push_back({{"name", part->name},
                     {"what", part->what},
                     {"mend", part->mend},
                     {"page", part->page}});
  }
  // JSON has no infinity: what is not a number is null.
  return {{"name", fit.hypothesis.name()},
          {"parts", parts},
          {"error", fit.error},
          {"allowed", fit.allowed},
          {"read_as", fit.reading}};
}

nlohmann::ordered_json json_of(const std::vector<Fit>& fits) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Fit& fit : fits) list.push_back(json_of(fit));
  return list;
}

std::string finding_name(Finding finding) {
  switch (finding) {
    case Finding::correct: return "correct";
    case Finding::named: return "named";
    case Finding::correct_apart: return "correct in part";
    case Finding::unknown: break;
  }
  return "unknown";
}

}  // namespace

std::string report(const Diagnosis& diagnosis, const std::string& file,
                   NumberType type) {
  std::string text = file + ": ";
  switch (diagnosis.finding) {
    case Finding::correct:
      add_correct(text, diagnosis, type);
      break;
    case Finding::named:
      add_named(text, diagnosis);
      break;
    case Finding::correct_apart:
      text += fmt::format(
          "right, apart from some places: no known bug\n  read as {}\n{}",
          diagnosis.fits[0].reading, where_text(diagnosis.differences));
      break;
    case Finding::unknown:
      text += "none of the known";
      text += diagnosis.nothing_near ? ", and nothing comes near\n" : "\n";
      for (const Fit& fit : diagnosis.nearest) {
        text += fmt::format("  {}: {}, {}\n    read as {}\n",
                            diagnosis.nothing_near ? "beside" : "nearest",
                            fit.hypothesis.name(), how_well(fit), fit.reading);
      }
      if (!diagnosis.nearest.empty()) {
        text += fmt::format("beside {}: {}",
                            diagnosis.nearest[0].hypothesis.name(),
                            where_text(diagnosis.differences));
      }
  }
  if (diagnosis.left_out > 0) {
    text += fmt::format("{} were left out, too large at this size; give fewer "
                        "tokens to try them\n", diagnosis.left_out);
  }
  return text + fmt::format("{} hypotheses tried in {:.1f} s\n",
                            diagnosis.tried, diagnosis.seconds);
}

std::string report_json(const Diagnosis& diagnosis, const std::string& file,
                        NumberType type) {
  const Differences& where = diagnosis.differences;
  nlohmann::ordered_json differences = {{"compared", where.compared},
                                        {"differing", where.differing},
                                        {"every_row", where.every_row}};
  if (where.compared > 0) {
    differences["items"] = by_item(where);
    differences["rows"] = by_token(where);
    differences["heads"] = by_head(where);
    differences["columns"] = by_column(where);
  }
  const nlohmann::ordered_json all = {
      {"file", file},
      {"type", name(type)},
      {"finding", finding_name(diagnosis.finding)},
      {"fits", json_of(diagnosis.fits)},
      {"same_here", json_of(diagnosis.same_here)},
      {"nearest", json_of(diagnosis.nearest)},
      {"nothing_near", diagnosis.nothing_near},
      {"differences", differences},
      {"tried", diagnosis.tried},
      {"seconds", diagnosis.seconds}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

std::string draw_differences(const Diagnosis& diagnosis) {
  const Differences& where = diagnosis.differences;
  const Fit* beside = !diagnosis.fits.empty()      ? &diagnosis.fits[0]
                      : !diagnosis.nearest.empty() ? &diagnosis.nearest[0]
                                                   : nullptr;
  const std::string name = beside ? beside->hypothesis.name() : "right";
  mha::Svg svg("Where the output differs",
               fmt::format("{} of {} numbers of the output differ from the "
                           "attention called {}. Rows of the output from top "
                           "to bottom, columns from left to right.",
                           where.differing, where.compared, name));
  constexpr double cell = 8, left = 20, top = 30;
  svg.text(left, 16, fmt::format("Beside {}: dark where it differs", name));
  const Numbers& picture = where.picture;
  for (Index i = 0; i < picture.rows(); ++i) {
    for (Index j = 0; j < picture.cols(); ++j) {
      svg.rectangle(left + cell * static_cast<double>(j),
                    top + cell * static_cast<double>(i), cell - 1, cell - 1,
                    fmt::format("fill='currentColor' fill-opacity='{:.2f}'",
                                0.06 + 0.94 * picture(i, j)),
                    "");
    }
  }
  return svg.finish(
      std::max(320.0, 2 * left + cell * static_cast<double>(picture.cols())),
      top + 12 + cell * static_cast<double>(picture.rows()));
}

}  // namespace diagnose
