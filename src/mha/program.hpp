/// \file program.hpp
/// What every chapter's program can do besides its subject: options, claims,
/// values and figures.
#pragma once

#include "mha/matrix.hpp"
#include "mha/values.hpp"

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mha {

// [option]
/// One named option of a chapter's program.
struct Option {
  std::string name;                   ///< such as "--heads"
  /// Where it goes; holds the default.
  std::variant<Index*, bool*, std::string*> value;
  std::string help;                   ///< one line
  Index least = 1;                    ///< smallest number allowed
  Index most = 512;                   ///< largest number allowed
  std::vector<std::string> words = {};  ///< to suggest for a word
  bool machine = false;  ///< about files or the machine: not for a web page
};

/// \param all  values that have a name
/// \return their names, to suggest for a word
template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}
// [option]

// [chapter]
/// A figure that a chapter's program can draw.
struct Figure {
  std::string name;                   ///< such as "weights"
  std::function<std::string()> draw;  ///< returns the SVG
};

/// What a chapter's program consists of.
struct Chapter {
  std::string name;                ///< of the program
  std::string about;               ///< one line for --help
  std::vector<Option> options;     ///< its own options
  std::function<void()> demo;      ///< prints to standard output
  std::function<Values()> values;  ///< for --values
  std::vector<Figure> figures;     ///< for --svg; the first is the default
};

/// Thrown by a chapter whose data was not fetched; the message says how to.
class NotFetched : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs a chapter's program: the demo, or what the options ask for.
/// \param chapter  the program
/// \param argc     from main
/// \param argv     from main
/// \return exit status: 0; or, after one line on standard error, 77 when data
///         was not fetched and 1 when something else is wrong
int run_chapter(const Chapter& chapter, int argc, char** argv);

/// Prints a heading of the output: a line, underlined.
/// \param title  the line
void heading(std::string_view title);
// [chapter]

}  // namespace mha
