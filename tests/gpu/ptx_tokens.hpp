// The words of a PTX file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptx {

struct Token {
  std::string_view text;
  int line = 0;
  bool word() const;  // a name, a register, an instruction
  bool number() const;
};

// Without comments; the last one is empty. The text must outlive them.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace ptx
