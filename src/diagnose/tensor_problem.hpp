/// \file tensor_problem.hpp
/// How the readers and writers of tensor files complain: in one line, with
/// nothing from the file in it that a terminal would obey.
#pragma once

#include "diagnose/tensor_file.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace diagnose {

/// Text from a file, fit to be printed: control characters become `\x1b`, bytes
/// that are not UTF-8 too, and what is long is cut.
/// \param text  from anywhere
std::string printable(std::string_view text);

/// A shape as NumPy prints it: (2, 3), (3,) or ().
/// \param shape  sizes
std::string printable(std::span<const std::ptrdiff_t> shape);

/// Stops the work on a file.
/// \param file     its name, printed as it is
/// \param message  fmt format string: what is wrong; what to do
/// \param values   the arguments of the message
/// \throws TensorFileProblem always
template <typename... Values>
[[noreturn]] void fail(const std::string& file,
                       fmt::format_string<Values...> message,
                       Values&&... values) {
  throw TensorFileProblem(
      file + ": " + fmt::format(message, std::forward<Values>(values)...));
}

}  // namespace diagnose
