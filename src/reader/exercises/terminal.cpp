#include "reader/exercises/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <vector>

#include <unistd.h>

namespace reader {
namespace {

bool has_colour() {
  static const bool colour = [] {
    const char* never = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) && (never == nullptr || *never == '\0') &&
           terminal != nullptr && std::string_view(terminal) != "dumb";
  }();
  return colour;
}

// How many columns UTF-8 text takes: bytes that continue a character take none.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string clean(const std::string& line) {
  constexpr std::size_t longest = 400;
  std::string text;
  for (const char c : line.substr(0, longest)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    text += c == '\t' ? ' ' : control ? '?' : c;
  }
  return line.size() > longest ? text + " [...]" : text;
}

}  // namespace

std::string coloured(Colour colour, std::string_view text) {
  if (!has_colour()) return std::string(text);
  const int code = colour == Colour::green ? 32
                   : colour == Colour::red ? 31
                                           : 1;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void say(std::string_view text) {
  std::fflush(stdout);
  fmt::print(stderr, "mha: {}\n", text);
}

void print(std::string_view text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

std::string wrapped(std::string_view paragraph, std::string_view indent) {
  std::istringstream words{std::string(paragraph)};
  std::string text, row, word;
  while (words >> word) {
    if (!row.empty() && columns(row) + 1 + columns(word) > width) {
      text += row + "\n";
      row = std::string(indent) + word;
    } else {
      row.append(row.empty() ? "" : " ").append(word);
    }
  }
  return text + row + "\n";
}

void show_waiting(std::string_view label, int seconds, std::string_view doing) {
  if (isatty(STDERR_FILENO)) {
    const std::string line = fmt::format("{}, {} s: {}", label, seconds, doing);
    fmt::print(stderr, "\r\x1b[K{}", line.substr(0, width - 2));
  } else if (seconds == 2) {
    say(fmt::format("{} ...", label));
  } else if (seconds % 60 == 0) {
    say(fmt::format("{}, {} s", label, seconds));
  }
}

void clear_waiting() {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\x1b[K");
}

bool can_ask() { return isatty(STDIN_FILENO); }

bool ask(std::string_view question) {
  std::fflush(stdout);
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::string presentable(const std::string& output) {
  constexpr std::size_t first = 60, last = 40;
  std::vector<std::string> lines;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) lines.push_back(clean(line));
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > first + last && i == first) {
      i = lines.size() - last;
      text += fmt::format("[{} lines are left out here]\n",
                          lines.size() - first - last);
    }
    text += lines[i] + "\n";
  }
  return text;
}

}  // namespace reader
