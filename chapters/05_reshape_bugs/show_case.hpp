// Chapter 5: what the program prints and draws of the gallery.
#pragma once

#include "cases.hpp"
#include "checks.hpp"

#include <string>

namespace gallery {

// [show case]
// The checks that an attention fails.
std::vector<const Check*> failing_checks(const Attention& attention);

void print_gallery();                // every case, with its symptom
void print_case(const Case& one);    // beside the right one, and the checks
void print_reports();                // bug report, case, verdict, check
std::string draw_checks_and_cases();  // which check catches which case
// [show case]

}  // namespace gallery
