// Chapter 8's functions in nvcc's build: headers that the host's compiler reads
// declare those for the CPU device.
#pragma once

#include "broken_kernels.hpp"
#include "kernel_ladder.hpp"

namespace on_gpu {

std::vector<cuda_port::Step> ladder();
std::vector<float> attend(
    const cuda_port::Step& step, const cuda_port::Sizes& sizes,
    const cuda_port::Arrays& arrays,
    const on_cpu_device::Caller& caller = on_cpu_device::once);
std::vector<cuda_port::KernelCase> kernel_cases();

}  // namespace on_gpu
