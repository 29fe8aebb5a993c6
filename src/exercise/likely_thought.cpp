#include "exercise/likely_thought.hpp"

#include "exercise/exercise.hpp"

#include <fstream>
#include <sstream>
#include <vector>

namespace mha {
namespace {

// The lines "wrong: ..." of the comment that begins a file, each with those
// that continue it.
std::vector<std::string> wrong_lines(const std::string& file) {
  std::ifstream in(file);
  require(in.good(), "{} cannot be read; is the book's folder still there?",
          file);
  std::vector<std::string> lines;
  bool goes_on = false;
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    if (line.starts_with("// wrong: ")) {
      lines.push_back(line.substr(10));
      goes_on = true;
    } else if (goes_on && line.starts_with("//   ")) {
      lines.back() += line.substr(4);
    } else {
      goes_on = false;
    }
  }
  return lines;
}

double number(std::istringstream& words) {
  std::string word;
  words >> word;
  if (word.starts_with("ch")) return recorded_value(word);
  std::size_t end = 0;
  const double value = std::stod(word, &end);
  require(end == word.size(), "{} is no number", word);
  return value;
}

// "20", "0.27 within 0.006", "from 48", "to 0", "other", where a number may be
// the name of a value, such as ch02.parameters.
bool is_among(double answer, const std::string& numbers) {
  std::istringstream words(numbers);
  std::string word;
  words >> word;
  bool among = true;
  if (word == "from") {
    among = answer >= number(words);
  } else if (word == "to") {
    among = answer <= number(words);
  } else if (word != "other") {
    words.clear();
    words.seekg(0);
    const double middle = number(words);
    double tolerance = 0;
    if (words >> word) {
      require(word == "within", "{} stands where \"within\" belongs", word);
      tolerance = number(words);
    }
    among = std::abs(answer - middle) <= tolerance;
  }
  require(!(words >> word), "{} is one word too many", word);
  return among;
}

}  // namespace

std::string likely_thought(double answer, const std::string& check_file) {
  std::string thought;
  for (const std::string& line : wrong_lines(check_file)) {
    const std::size_t bar = line.find(" | ");
    try {
      require(bar != std::string::npos, "there is no | in it");
      const bool among = is_among(answer, line.substr(0, bar));
      if (among && thought.empty()) thought = line.substr(bar + 3);
    } catch (const std::logic_error& wrong) {
      require(false, "{}: \"// wrong: {}\" is not understood: {}", check_file,
              line, wrong.what());
    }
  }
  return thought;
}

}  // namespace mha
