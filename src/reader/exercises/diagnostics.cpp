#include "reader/exercises/diagnostics.hpp"

#include "reader/exercises/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

namespace reader {
namespace {

// g++ names each type twice where an alias was used; once is enough.
std::string shortened(std::string message) {
  static const std::regex alias(" [{]aka (‘[^’]*’|'[^']*')[}]");
  static const std::regex option(" \\[-W[^\\]]*\\]$");
  constexpr std::size_t longest = 300;
  message = std::regex_replace(message, alias, "");
  message = std::regex_replace(message, option, "");
  if (message.size() > longest) message = message.substr(0, longest) + " [...]";
  return message;
}

// Eigen's messages are names in capitals, such as YOU_MIXED_MATRICES_OF_
// DIFFERENT_SIZES. When float meets double, some do not say so.
std::string in_plain_words(std::string message) {
  if (message.find("on_error") != std::string::npos) {
    return "the text has other {} than values behind it; count both";
  }
  for (const char* sign :
       {"ScalarBinaryOpTraits", "YOU_MIXED_DIFFERENT_NUMERIC_TYPES"}) {
    if (message.find(sign) != std::string::npos) {
      return "two kinds of numbers meet, such as float and double; convert one, "
             "as in m.cast<double>()";
    }
  }
  static const std::regex capitals("[A-Z0-9]+(_+[A-Z0-9]+){2,}");
  std::smatch name;
  if (!std::regex_search(message, name, capitals)) return message;
  std::string words = std::regex_replace(name.str(), std::regex("_+"), " ");
  for (char& c : words) c = static_cast<char>(std::tolower(c));
  return name.prefix().str() + words + name.suffix().str();
}

// A line of a log: FILE:LINE:COLUMN: KIND: MESSAGE.
struct LogLine {
  std::string file;
  int line = 0, column = 0;
  std::string kind, message;
};

int as_number(const std::string& digits) {
  return digits.empty() || digits.size() > 8 ? 0 : std::stoi(digits);
}

std::optional<LogLine> read_line(const std::string& text) {
  static const std::regex pattern(
      "([^:]+):([0-9]+):(?:([0-9]+):)? +(fatal error|error|warning|note|"
      "required from|recursively required from|"
      "in [^ ]*constexpr[^ ]* expansion of)(?::| here)? ?(.*)");
  // Long lines are types, which no pattern needs to look through.
  constexpr std::size_t longest = 4000;
  std::smatch match;
  const std::string head = text.substr(0, longest);
  if (!std::regex_match(head, match, pattern)) return {};
  return LogLine{match[1], as_number(match[2]), as_number(match[3]), match[4],
                 match[5]};
}

class LogReader {
 public:
  explicit LogReader(const fs::path& file) : file_(file) {}

  void add(const std::string& text) {
    add_linker_error(text);
    const std::optional<LogLine> line = read_line(text);
    if (!line) return;
    const bool mine = fs::path(line->file).lexically_normal() == file_;
    if (line->kind.ends_with("required from") ||
        line->kind.ends_with("expansion of")) {
      // g++ says who used the library before it says what is wrong there.
      if (mine) user_ = line;
    } else if (line->kind == "note") {
      // clang says it afterwards.
      if (mine && elsewhere_ && line->message.starts_with("in instantiation")) {
        blame(*line, *elsewhere_);
        elsewhere_.reset();
      }
    } else if (mine) {
      put(line->line, line->column, line->kind != "warning", line->message);
      user_.reset(), elsewhere_.reset();
    } else if (line->kind != "warning") {
      if (user_) blame(*user_, *line);
      elsewhere_ = user_ ? std::nullopt : line;
      user_.reset();
    }
  }

  std::vector<Diagnostic> found() const { return found_; }

 private:
  // One misuse of a library can set off dozens of errors in it. The first
  // tells most.
  void blame(const LogLine& user, const LogLine& library) {
    if (!blamed_.insert(user.line).second) return;
    put(user.line, user.column, true,
        in_plain_words(library.message) + " (in a library that this line uses)",
        true);
  }

  void add_linker_error(const std::string& text) {
    static const std::regex undefined(
        "(?:undefined reference to|undefined symbol:) [`'‘]?([^(`'’]+)");
    static const std::regex twice("multiple definition of [`'‘]?([^(`'’]+)");
    std::smatch match;
    const std::string head = text.substr(0, 4000);
    if (std::regex_search(head, match, undefined)) {
      put(0, 0, true,
          fmt::format("{} is not defined as the check calls it. Was it "
                      "renamed, or were its parameters changed?",
                      match[1].str()));
    } else if (std::regex_search(head, match, twice)) {
      put(0, 0, true,
          fmt::format("{} is defined twice, here and where the checks are. "
                      "Rename yours.",
                      match[1].str()));
    }
  }

  void put(int line, int column, bool is_error, const std::string& message,
           bool in_library = false) {
    const Diagnostic diagnostic{line, column, is_error, in_library,
                                shortened(message)};
    const bool known =
        std::any_of(found_.begin(), found_.end(), [&](const Diagnostic& d) {
          return d.line == line && d.message == diagnostic.message;
        });
    if (!known) found_.push_back(diagnostic);
  }

  fs::path file_;
  std::set<int> blamed_;
  std::vector<Diagnostic> found_;
  std::optional<LogLine> user_;       // of the library, in the reader's file
  std::optional<LogLine> elsewhere_;  // an error whose user is not known yet
};

std::string without_escapes(const std::string& line) {
  static const std::regex escape("\x1b\\[[0-9;]*[A-Za-z]");
  return std::regex_replace(line, escape, "");
}

// The line of source, with a mark below the column.
std::string source_line(const Diagnostic& diagnostic, const fs::path& file) {
  std::istringstream in(read_file(file));
  std::string line;
  for (int i = 0; i < diagnostic.line; ++i) std::getline(in, line);
  std::replace(line.begin(), line.end(), '\t', ' ');
  const std::string number = fmt::format("{:>6} | ", diagnostic.line);
  if (line.empty() || number.size() + line.size() > width) return {};
  std::string text = number + line + "\n";
  if (diagnostic.column > 0) {
    text += fmt::format("       | {:>{}}\n", "^", diagnostic.column);
  }
  return text;
}

}  // namespace

std::vector<Diagnostic> read_diagnostics(const std::string& log,
                                         const fs::path& file) {
  LogReader reader(file);
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    reader.add(line.find('\x1b') == std::string::npos ? line
                                                      : without_escapes(line));
  }
  std::vector<Diagnostic> found = reader.found();
  // Those of the reader's own lines are easier to understand.
  std::stable_partition(found.begin(), found.end(),
                        [](const Diagnostic& d) { return !d.in_library; });
  return found;
}

std::string shown(const Diagnostic& diagnostic, const fs::path& file) {
  const std::string place =
      diagnostic.line > 0 ? fmt::format("{}:{}", shown(file), diagnostic.line)
                          : shown(file);
  const std::string text = fmt::format(
      "{}: {}: {}", place, diagnostic.is_error ? "error" : "warning",
      diagnostic.message);
  return wrapped(text, "  ") + source_line(diagnostic, file);
}

}  // namespace reader
