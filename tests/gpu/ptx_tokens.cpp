#include "ptx_tokens.hpp"

#include <algorithm>
#include <cctype>

namespace ptx {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '$' || c == '%' || c == '.';
}

bool goes_on(char c) { return begins_word(c) || digit(c); }

}  // namespace

bool Token::word() const { return !text.empty() && begins_word(text[0]); }

bool Token::number() const {
  return !text.empty() &&
         (digit(text[0]) || (text.size() > 1 && text[0] == '-'));
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  int line = 1;
  std::size_t at = 0;
  const auto next = [&](std::size_t by) {
    return at + by < text.size() ? text[at + by] : '\0';
  };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
      continue;
    }
    if (c == '/' && next(1) == '/') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    std::size_t length = 1;
    if (c == '"') {
      length = text.find('"', at + 1) + 1 - at;
    } else if (begins_word(c) || digit(c) || (c == '-' && digit(next(1)))) {
      while (goes_on(next(length))) ++length;
    }
    tokens.push_back({text.substr(at, length), line});
    at += length;
  }
  tokens.push_back({{}, line});
  return tokens;
}

}  // namespace ptx
