/// \file machine.hpp
/// What this machine can do at most, and what it is called.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// \return the processor's name; "unknown" where the system does not say
std::string processor_name();

/// \return the compiler's name and version
std::string compiler_name();

/// \return today, such as "2025-11-30"
std::string today();

/// \return how many threads OpenMP gives; 1 without it
int all_threads();

/// \param threads  that work at once
/// \return GFLOP/s of multiplications and additions in registers, measured for
///         some milliseconds on the widest vectors
double peak_gflops(int threads);

/// Reads memory as fast as it goes, each thread its part.
/// \param memory   what is read
/// \param threads  that work at once
/// \return seconds that it took
double seconds_to_read(const std::vector<float>& memory, int threads);

/// \return GB/s that all threads read from memory, measured once on 1 GiB
double read_gb_per_second();

}  // namespace bench
