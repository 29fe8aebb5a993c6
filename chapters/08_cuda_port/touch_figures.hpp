// Chapter 8: what a warp touches, drawn from what the CPU device saw.
#pragma once

#include "on_cpu.hpp"

#include <string>

namespace cuda_port {

// [touch figures]
// Segments of 32 bytes in which the lanes of one request lie.
Index segments_of(const device::Sample& sample);

// A row for each line of the step's kernels that touches global memory: the
// segments of one request, and which of their words are used.
std::string draw_touches(const Step& step);
// [touch figures]

}  // namespace cuda_port
