// Small kernels without a fault, each with the host's part.
#pragma once

#include <cstdint>
#include <vector>

// The same functions for the CPU device and, where there is one, for the GPU.
#define CLEAN_KERNELS                                                         \
  std::vector<float> sum_by_halving(const std::vector<float>& numbers);       \
  std::vector<float> transposed(const std::vector<float>& numbers,            \
                                std::int64_t rows, std::int64_t columns);     \
  std::vector<int> running_sums(const std::vector<int>& numbers);             \
  std::vector<int> histogram(const std::vector<int>& numbers, int bins);      \
  std::vector<float> reversed(const std::vector<float>& numbers);             \
  std::vector<float> rounded(const std::vector<float>& numbers);              \
  std::vector<int> barrier_votes(const std::vector<int>& numbers);            \
  std::vector<int> many_barriers(int threads, int blocks, int passes);

namespace on_cpu_device {
CLEAN_KERNELS
}
#ifdef MHA_GPU
namespace on_gpu {
CLEAN_KERNELS
}
#endif
