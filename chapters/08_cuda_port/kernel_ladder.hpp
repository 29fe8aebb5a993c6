// Chapter 8: the kernels in order, and one way to call each.
#pragma once

#include "attention_kernels.hpp"

#include <functional>
#include <string>
#include <vector>

// [step]
namespace cuda_port {

struct Step {
  std::string name;
  std::string idea;                        // what is new in it
  bool half_precision = false;             // reads and writes bfloat16
  Index (*scratch)(const Sizes&) = nullptr;  // numbers between its kernels
  void (*run)(const DeviceCall<float>&) = nullptr;
};

// What goes in, on the host; see Sizes for the shapes.
struct Arrays {
  std::vector<float> q, k, v;
};

// Throws std::invalid_argument for sizes that the kernels are not made for.
void check_sizes(const Sizes& sizes);

}  // namespace cuda_port
// [step]

// [attend]
namespace KERNEL_NAMESPACE {

std::vector<cuda_port::Step> ladder();

// Is given a call that can be made again and again.
using Caller = std::function<void(const std::function<void()>& call)>;

inline void once(const std::function<void()>& call) { call(); }

// Copies the arrays to the device, runs the step there as often as `caller`
// calls it, copies the output back. Throws std::invalid_argument for sizes no kernel is made for, and
// std::runtime_error when the device refuses.
std::vector<float> attend(const cuda_port::Step& step, const Sizes& sizes,
                          const cuda_port::Arrays& arrays,
                          const Caller& caller = once);

}  // namespace KERNEL_NAMESPACE
// [attend]
