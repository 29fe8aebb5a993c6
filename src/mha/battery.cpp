#include "mha/battery.hpp"

#include "mha/measure.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>

namespace mha {

// [asked for]
namespace {
// An exception when what came back has another shape.
void need_shape(const std::string& what, const Matrix<double>& got, Index rows,
                Index cols) {
  if (got.rows() == rows && got.cols() == cols) return;
  throw std::runtime_error(fmt::format("{} is {} x {}, expected {} x {}", what,
                                       got.rows(), got.cols(), rows, cols));
}
}  // namespace

AttentionAnswer Trial::ask(const AttentionCall& call) {
  asked_ = call;
  return attention_(call);
}

Matrix<double> Trial::output(const AttentionCall& call) {
  AttentionAnswer answer = ask(call);
  need_shape("the output", answer.output, call.q.rows(), call.q.cols());
  return answer.output;
}

Matrix<double> Trial::first_map(const AttentionCall& call) {
  const AttentionAnswer answer = ask(call);
  if (answer.weights.empty()) throw std::runtime_error("no map came back");
  need_shape("the map of head 0", answer.weights[0], tokens_of(call),
             keys_of(call));
  return answer.weights[0];
}
// [asked for]

// [tolerance]
// A sum of some hundred rounded terms, and the rounding of its scores, which
// the softmax makes as large as they are: 256 steps at the largest number.
bool differ(const Matrix<double>& a, const Matrix<double>& b, double epsilon) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return true;
  if (a.size() == 0) return false;
  const double size =
      std::max({1.0, a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()});
  // Written so that NaN counts as far.
  return !(max_abs_difference(a, b) <= 256 * epsilon * size);
}
// [tolerance]

// [compare rows]
namespace {
// "0.000 1.000 0.000"
std::string text_of(const Matrix<double>& numbers) {
  std::string line;
  for (const double x : numbers.reshaped<Eigen::RowMajor>().head(
           std::min<Index>(numbers.size(), 9))) {
    if (!line.empty()) line += " ";
    line += std::isnan(x) ? "NaN" : fmt::format("{:.3f}", x);
  }
  return line;
}
}  // namespace

std::string compare(const std::string& what, const Matrix<double>& expected,
                    const Matrix<double>& got, double epsilon) {
  if (!differ(expected, got, epsilon)) return "";
  const std::string wanted = text_of(expected), found = text_of(got);
  if (wanted == found) {
    return fmt::format("{}: expected {}, off by {:.2g}", what, wanted,
                       max_abs_difference(expected, got));
  }
  return fmt::format("{}:\nexpected {}\ngot      {}", what, wanted, found);
}
// [compare rows]

// [all checks]
const std::vector<Check>& checks() {
  static const std::vector<Check> all = [] {
    std::vector<Check> every;
    for (const auto& section :
         {layout_checks(), size_and_scale_checks(), mask_checks(),
          softmax_checks(), answer_checks()}) {
      every.insert(every.end(), section.begin(), section.end());
    }
    return every;
  }();
  return all;
}

const Check& check_named(const std::string& sentence) {
  for (const Check& check : checks()) {
    if (check.sentence == sentence) return check;
  }
  throw std::logic_error("no check is called \"" + sentence + "\"");
}
// [all checks]

// [can do]
namespace {
// Whether an input of these sizes may be put to this attention.
bool can_take(const Abilities& abilities, const CallSizes& sizes) {
  return (abilities.batches || sizes.batch == 1) &&
         (abilities.cross || sizes.t_k == sizes.t_q) &&
         (abilities.shared_heads || sizes.n_kv_heads == sizes.n_heads) &&
         sizes.n_heads * sizes.d_head <= abilities.widest;
}

std::optional<Finding> try_at(const Check& check,
                              const AttentionFunction& attention,
                              const Abilities& abilities,
                              const CallSizes& sizes) {
  Trial trial(attention, abilities, sizes);
  const std::string what = found_or_thrown([&] { return check.find(trial); });
  if (what.empty()) return {};
  const AttentionCall& call = trial.asked();
  return Finding{what,
                 {call.batch, tokens_of(call), keys_of(call), call.n_heads,
                  call.n_kv_heads, d_head_of(call)},
                 call};
}
}  // namespace
// [can do]

// [found or thrown]
bool has_all(const std::vector<bool Abilities::*>& needs,
             const Abilities& abilities) {
  return std::all_of(needs.begin(), needs.end(),
                     [&](bool Abilities::*need) { return abilities.*need; });
}

std::string found_or_thrown(const std::function<std::string()>& find) {
  try {
    return find();
  } catch (const std::exception& error) {
    const std::string what = error.what();
    return what.empty() ? "an exception without a message was thrown" : what;
  }
}
// [found or thrown]

// [make check]
CheckResult make_check(CheckResult result,
                       const std::function<std::string()>& find,
                       const std::function<std::string()>& describe) {
  if (!result.asked) return result;
  const std::string what = found_or_thrown(find);
  if (what.empty()) return result;
  result.fault = Finding{what, {}, {}, describe()};
  return result;
}
// [make check]

// [find fault]
std::optional<Finding> find_fault(const Check& check,
                                  const AttentionFunction& attention,
                                  const Abilities& abilities) {
  if (!check.at_any_size) return try_at(check, attention, abilities, {});
  for (const CallSizes& sizes : trial_sizes()) {
    if (!can_take(abilities, sizes)) continue;
    auto fault = try_at(check, attention, abilities, sizes);
    if (fault) return fault;
  }
  return {};
}
// [find fault]

// [make checks]
BatteryReport make_checks(std::span<const Check> checks,
                          const AttentionFunction& attention,
                          const Abilities& abilities) {
  BatteryReport report;
  for (const Check& check : checks) {
    CheckResult result = {check.sentence, check.page};
    result.asked = has_all(check.needs, abilities);
    if (result.asked) result.fault = find_fault(check, attention, abilities);
    report.results.push_back(std::move(result));
  }
  return report;
}

BatteryReport check_attention(const AttentionFunction& attention,
                              const Abilities& abilities) {
  return make_checks(checks(), attention, abilities);
}

Index BatteryReport::made() const {
  return std::count_if(results.begin(), results.end(),
                       [](const CheckResult& one) { return one.asked; });
}

Index BatteryReport::failed() const {
  return std::count_if(results.begin(), results.end(),
                       [](const CheckResult& one) {
                         return one.fault.has_value();
                       });
}

bool BatteryReport::passed() const { return made() > 0 && failed() == 0; }
// [make checks]

// [describe input]
namespace {
// A small matrix in full, a row a line; of a large one nothing.
std::string numbers_of(const std::string& name, const Matrix<double>& m) {
  if (m.size() > 12) return "";
  std::string text;
  for (Index i = 0; i < m.rows(); ++i) {
    text += fmt::format("       {:>9}", i == 0 ? name + " =" : "");
    for (const double x : m.row(i)) text += fmt::format(" {:g}", x);
    text += "\n";
  }
  return text;
}

// The same of a mask: 1 where it lets through.
std::string table_of(const std::string& name, const BoolMatrix& table) {
  return numbers_of(name, table.cast<double>().matrix());
}

std::string describe(const Finding& fault) {
  if (!fault.described.empty()) return "       on " + fault.described + "\n";
  const AttentionCall& call = fault.input;
  const CallSizes& sizes = fault.sizes;
  const AttentionOptions& options = call.options;
  std::string text = fmt::format(
      "       on batch {}, T_q {}, T_k {}, n_heads {}, n_kv_heads {}, "
      "d_head {}", sizes.batch, sizes.t_q, sizes.t_k, sizes.n_heads,
      sizes.n_kv_heads, sizes.d_head);
  if (options.causal == Causal::bottom_right) text += ", causal";
  if (options.causal == Causal::top_left) text += ", causal top-left";
  if (is_given(options.pairs.attends())) text += ", mask of pairs";
  if (is_given(call.padding)) text += ", padding";
  if (is_given(options.bias)) text += ", bias";
  if (options.scale) text += fmt::format(", scale {:g}", *options.scale);
  if (call.training) text += fmt::format(", dropout {:g}", call.dropout);
  return text + "\n" + numbers_of("q", call.q) + numbers_of("k", call.k) +
         numbers_of("v", call.v) + table_of("pairs", options.pairs.attends()) +
         table_of("padding", call.padding) + numbers_of("bias", options.bias);
}
// [describe input]

// [indented]
std::string indented(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos;
       at = text.find('\n', at + 1)) {
    text.insert(at + 1, "       ");
  }
  return text;
}
}  // namespace
// [indented]

// [page of book]
std::string page_of_book(const std::string& page) {
  const std::size_t end = std::min(page.find('_'), page.size() - 1);
  const std::size_t first = page.find_first_not_of('0');
  return fmt::format("page {} of the book, {}.html",
                     page.substr(first, end - first), page.substr(end + 1));
}
// [page of book]

// [write report]
std::string to_string(const BatteryReport& report) {
  std::string text, left_out;
  for (const CheckResult& one : report.results) {
    if (!one.asked) left_out += "not asked: " + one.sentence + "\n";
    if (!one.fault) continue;
    text += fmt::format("FAILED {}\n       {}\n{}       explained on {}\n",
                        one.sentence, indented(one.fault->what),
                        describe(*one.fault), page_of_book(one.page));
  }
  return text + left_out +
         fmt::format("{} of {} checks passed\n",
                     report.made() - report.failed(), report.made());
}

std::ostream& operator<<(std::ostream& out, const BatteryReport& report) {
  return out << to_string(report);
}
// [write report]

}  // namespace mha
