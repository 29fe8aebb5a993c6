// Chapter 8: the kernels on the CPU device, with what it counted and found.
#pragma once

#include "broken_kernels.hpp"
#include "kernel_ladder.hpp"

#include "device/observe.hpp"

#include "mha/attention_call.hpp"

#include <string>
#include <vector>

namespace cuda_port {

// [observed]
struct Observed {
  std::vector<float> output;
  device::Report report;  // launches and findings
};

// Runs a step on the CPU device. Equal seeds take the threads in the same
// order; seed 0 takes them by number.
Observed run_on_cpu(const Step& step, const Sizes& sizes, const Arrays& arrays,
                    std::uint64_t seed = 0);
// [observed]

// [random arrays]
// Unit normals; of a step in half precision: rounded as it will round them.
Arrays random_arrays(const Step& step, const Sizes& sizes,
                     std::uint32_t seed);

// The definition, in double precision: chapter 1's attention for each head.
std::vector<double> by_definition(const Sizes& sizes, const Arrays& arrays);

double largest_difference(const std::vector<float>& got,
                          const std::vector<double>& wanted);

// How far a step may be from the definition: a few roundings of float32, or
// the one rounding of bfloat16 when the output is written.
double tolerance(const Step& step);

const Step& step_named(const std::string& name);
// [random arrays]

// [case result]
// One of the small kernels on problems whose sizes are no multiples of
// anything.
struct CaseResult {
  std::vector<device::Finding> findings;
  double difference = 0;      // from the highest score; NaN when not written
  double segments = 0;        // a request of the stores, on average
};

CaseResult run_case(const KernelCase& one, Index queries, Index keys,
                    std::uint64_t seed);

// What gives a case away, in one line: a finding, numbers, or counts; empty
// when nothing does.
std::string fault_of(const KernelCase& one, std::uint64_t seed = 1);
const KernelCase& case_named(const std::string& name);
// [case result]

}  // namespace cuda_port
