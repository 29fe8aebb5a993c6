// Kernels that use each of CUDA's words that the CPU device knows.
#pragma once

#include <cstdint>
#include <vector>

// The same functions for the CPU device and, where there is one, for the GPU.
#define WORD_KERNELS                                                \
  std::vector<int> all_shuffles();                                  \
  std::vector<unsigned> all_votes(const std::vector<int>& numbers); \
  std::vector<unsigned> all_atomics();                              \
  std::vector<float> all_float_atomics();                           \
  std::vector<long long> all_extremes();                            \
  std::vector<float> all_functions();                               \
  std::vector<unsigned> all_indices();

namespace on_cpu_device {
WORD_KERNELS
}
#ifdef MHA_GPU
namespace on_gpu {
WORD_KERNELS
}
#endif
