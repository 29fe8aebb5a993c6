// What stops a command: one line for the reader.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace reader {

struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown when Ctrl-C or a signal asked the command to stop.
struct Stopped {};

template <typename... Values>
[[noreturn]] void fail(fmt::format_string<Values...> format,
                       Values&&... values) {
  throw Problem(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace reader
