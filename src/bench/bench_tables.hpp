/// \file bench_tables.hpp
/// A run of `./mha bench` as tables.
#pragma once

#include "bench_run.hpp"

#include <string>

namespace bench {

/// \param run  what was measured
/// \return the tables, with what they say and do not say
std::string tables_of(const BenchRun& run);

/// \param a  one
/// \param b  another, at the same size
/// \return such as "fused is 3.1 times as fast as naive", or that the
///         difference is within the spread
std::string compared(const Speed& a, const Speed& b);

}  // namespace bench
