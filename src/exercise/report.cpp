// The main function of every exercise, and how it tells what the checks found.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

constexpr std::size_t width = 80;
constexpr std::string_view indent = "        ";

// Indents a line, and breaks it at spaces where it is too wide.
std::string wrapped(const std::string& line) {
  if (indent.size() + line.size() <= width) {
    return fmt::format("{}{}\n", indent, line);
  }
  std::istringstream words(line);
  std::string text, row(indent), word;
  while (words >> word) {
    if (row.size() > indent.size() && row.size() + 1 + word.size() > width) {
      text += row + "\n";
      row = indent;
    }
    row += (row.size() > indent.size() ? " " : "") + word;
  }
  return text + row + "\n";
}

// Prints "passed" or "FAILED" with each check's name. The first that fails also
// says why: the others often follow from it. Everything is flushed at once,
// since the reader's code may crash.
class Report : public doctest::IReporter {
 public:
  explicit Report(const doctest::ContextOptions& options)
      : out_(*options.cout) {}

  void test_case_start(const doctest::TestCaseData& check) override {
    name_ = check.m_name;
    failed_ = false;
  }

  void log_assert(const doctest::AssertData& assertion) override {
    if (!assertion.m_failed) return;
    const bool first = !any_failed_;
    begin_failure();
    if (!first) return;
    const int contexts = get_num_active_contexts();
    for (int i = 0; i < contexts; ++i) {
      std::ostringstream message;
      get_active_contexts()[i]->stringify(&message);
      print_lines(message.str());
    }
    if (contexts == 0) {
      print_lines(fmt::format("not true: {}", assertion.m_expr));
    }
  }

  void test_case_exception(const doctest::TestCaseException& stop) override {
    begin_failure();
    print_lines(fmt::format(
        "{}: {}",
        stop.is_crash ? "your code crashed" : "stopped by an exception",
        stop.error_string.c_str()));
  }

  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    if (!failed_) out_ << "passed  " << name_ << std::endl;
  }

  void test_run_end(const doctest::TestRunStats& run) override {
    const unsigned all = run.numTestCasesPassingFilters;
    out_ << fmt::format("\n{} of {} checks passed\n",
                        all - run.numTestCasesFailed, all)
         << std::flush;
  }

  void report_query(const doctest::QueryData& query) override {
    for (unsigned i = 0; i < query.num_data; ++i) {
      out_ << query.data[i]->m_name << "\n";
    }
  }

  void log_message(const doctest::MessageData& message) override {
    print_lines(message.m_string.c_str());
  }

  void test_run_start() override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}

 private:
  void begin_failure() {
    if (!failed_) out_ << "FAILED  " << name_ << std::endl;
    failed_ = any_failed_ = true;
  }

  void print_lines(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out_ << wrapped(line);
    out_ << std::flush;
  }

  std::ostream& out_;
  std::string name_;
  bool failed_ = false;
  bool any_failed_ = false;
};

REGISTER_REPORTER("exercise", 1, Report);

}  // namespace

int main(int argc, char** argv) {
  doctest::Context checks;
  checks.setOption("reporters", "exercise");
  checks.setOption("order-by", "file");
  checks.applyCommandLine(argc, argv);
  return checks.run();
}
