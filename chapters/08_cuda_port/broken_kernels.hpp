// Chapter 8: one small kernel, and wrong ones that differ in one place.
#pragma once

#include "attention_kernels.hpp"

#include <functional>
#include <string>
#include <vector>

// [case]
namespace cuda_port {

// One head, 8 columns. Wanted: the highest score of each query.
struct Problem {
  std::vector<float> q, k;  // (queries, 8), (keys, 8)
};

struct KernelCase {
  std::string name;
  std::string symptom;
  std::function<std::vector<float>(const Problem&)> run;
  // Rows of the table of bug reports, and the claim that catches them.
  std::vector<std::string> reports = {};
  std::string claim = "";
};

}  // namespace cuda_port

namespace KERNEL_NAMESPACE {

// The right one comes first.
std::vector<cuda_port::KernelCase> kernel_cases();

}  // namespace KERNEL_NAMESPACE
// [case]
