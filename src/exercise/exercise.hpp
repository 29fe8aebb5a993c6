/// \file exercise.hpp
/// What the exercises and their checks share.
#pragma once

#include "mha/matrix.hpp"
#include "mha/measure.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

/// The reader's number in a predict exercise.
extern const double my_answer;

namespace mha {

/// What my_answer holds until the reader has set it.
inline constexpr double unanswered = std::numeric_limits<double>::quiet_NaN();

/// Reads a number that a chapter's program wrote when the book was built.
/// \param name  as in the prose, such as "ch02.parameters"
/// \return the number, not rounded
/// \throws std::invalid_argument when the file or the name is missing
double recorded_value(std::string_view name);

/// Ends the running check, with a message for the reader, unless all is well.
/// \param holds    what must be true
/// \param message  lines that say what was expected, what came, and why
void expect(bool holds, const std::string& message);

/// Ends the running check when my_answer was not set.
inline void expect_an_answer() {
  expect(!std::isnan(my_answer),
         "my_answer is not set yet. Write your number in place of "
         "mha::unanswered.");
}

/// \param matrix  any numbers
/// \return the numbers, such as "(1, 2)"; each further row begins a new line,
///         indented by 9, the length of "expected "
std::string show(const Matrix<double>& matrix);

/// \param a          first matrix
/// \param b          second matrix
/// \param tolerance  largest difference allowed
/// \return whether both have one shape and close entries, none of them NaN
inline bool close(const Matrix<double>& a, const Matrix<double>& b,
                  double tolerance) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         max_abs_difference(a, b) <= tolerance;
}

/// Ends the running check when what came is not what was expected.
/// \param got        what the reader's code returned
/// \param expected   what is right
/// \param tolerance  largest difference allowed
/// \param given      what the reader's code was given, in a few words
/// \param lesson     the likely misunderstanding
void expect_close(const Matrix<double>& got, const Matrix<double>& expected,
                  double tolerance, std::string_view given,
                  std::string_view lesson);

}  // namespace mha
