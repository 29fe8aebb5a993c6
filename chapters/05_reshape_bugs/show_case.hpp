// Chapter 5: what the program prints and draws of the gallery.
#pragma once

#include "cases.hpp"
#include "mha/battery.hpp"

#include <string>

namespace gallery {

// [show case]
// What the battery says of every case, in their order.
const std::vector<mha::BatteryReport>& battery_on_cases();

// What it says of one: whether the check of that sentence failed.
bool fails(const Case& one, const std::string& sentence);

void print_gallery();                // every case, with its symptom
void print_case(const Case& one);    // beside the right one, and the checks
void print_reports();                // bug report, case, verdict, check
std::string draw_checks_and_cases();  // which check catches which case
// [show case]

}  // namespace gallery
