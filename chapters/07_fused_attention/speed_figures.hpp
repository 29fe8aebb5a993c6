// Chapter 7: numbers and figures from a recorded run of ./mha bench.
#pragma once

#include "mha/values.hpp"

#include <string>

namespace fused {

// [recorded run]
// The run that the book quotes, made with g++; the same with clang++; and one of
// g++ on a processor whose vector units are twice as wide.
std::string recorded_run();
std::string recorded_clang_run();
std::string recorded_wide_run();

// Adds the shares of the peak, and what else the prose quotes of a run.
void add_run_values(mha::Values& values, const std::string& run);

// By how many points the fused attention of a run falls short of what the
// chapter was after; 0 if it does nowhere.
double most_missing(const std::string& run);

// GFLOP/s of each step against T, with the peak.
std::string draw_ladder(const std::string& run);

// MiB of memory against T.
std::string draw_memory(const std::string& run);
// [recorded run]

}  // namespace fused
