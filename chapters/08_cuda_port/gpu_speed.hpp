// Chapter 8: how fast the kernels are where there is a GPU.
#pragma once

#include "kernel_ladder.hpp"

#include <string>
#include <vector>

namespace cuda_port {

// [gpu speed]
struct StepOnGpu {
  std::string name;
  double milliseconds = 0;  // of a call, timed with events
  std::vector<float> output;
};

struct GpuSpeed {
  std::string card;
  double copy_bytes_per_second = 0;  // within the card, read and written
  double gemm_per_second = 0;        // float32 operations of cuBLAS; 0: none
  std::vector<StepOnGpu> steps;
};

// Throws std::runtime_error when the device refuses.
GpuSpeed measure_on_gpu(const Sizes& sizes, const Arrays& arrays);

// One line when there is no GPU; else a table of what measure_on_gpu found.
void print_gpu(const Sizes& sizes);
// [gpu speed]

}  // namespace cuda_port
