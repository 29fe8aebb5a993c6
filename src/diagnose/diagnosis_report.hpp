/// \file diagnosis_report.hpp
/// A diagnosis for people, for programs, and as a picture.
#pragma once

#include "diagnosis.hpp"

#include <string>

namespace diagnose {

/// \param diagnosis  the answer
/// \param file       what the file is called
/// \param type       of its numbers
/// \returns some lines of text
std::string report(const Diagnosis& diagnosis, const std::string& file,
                   NumberType type);

/// \param diagnosis  the answer
/// \param file       what the file is called
/// \param type       of its numbers
/// \returns the same as JSON: finding, fits, nearest, differences
std::string report_json(const Diagnosis& diagnosis, const std::string& file,
                        NumberType type);

/// \param diagnosis  the answer
/// \returns an SVG: rows and columns of the output, dark where it differs
std::string draw_differences(const Diagnosis& diagnosis);

}  // namespace diagnose
