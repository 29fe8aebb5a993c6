// Chapter 8: what the kernel files offer each other and the program.
#pragma once

#include "attention_sizes.hpp"

#include "device/cuda_source.hpp"

#include <span>
#include <vector>

// [device call]
namespace cuda_port {

// The arrays of a call, in the device's memory. Element: float or bfloat16.
template <typename Element>
struct DeviceCall {
  Sizes sizes;
  const Element* q;
  const Element* k;
  const Element* v;
  Element* out;
  float* scratch;  // as many numbers as the step asks for
};

}  // namespace cuda_port
// [device call]

namespace KERNEL_NAMESPACE {

// [steps of the ladder]
using cuda_port::DeviceCall;
using cuda_port::Index;
using cuda_port::Sizes;

Index scores_of(const Sizes& s);  // numbers in all maps of scores
void three_kernels(const DeviceCall<float>& call);
void tiled_kernels(const DeviceCall<float>& call);
void fused_kernel(const DeviceCall<float>& call);
void register_tiles(const DeviceCall<float>& call);
void grouped_tiles(const DeviceCall<float>& call);
void grouped_tiles_bf16(const DeviceCall<__nv_bfloat16>& call);
Index scratch_of_split_keys(const Sizes& s);
void split_keys(const DeviceCall<float>& call);
// [steps of the ladder]

}  // namespace KERNEL_NAMESPACE
