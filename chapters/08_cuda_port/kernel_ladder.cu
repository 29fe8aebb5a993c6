// Chapter 8: the kernels in order, and one way to call each.
#include "kernel_ladder.hpp"

#include <stdexcept>
#include <string>

namespace KERNEL_NAMESPACE {

// [ladder]
using cuda_port::Arrays;
using cuda_port::Step;

std::vector<Step> ladder() {
  return {
      {.name = "three kernels",
       .idea = "a thread for each number",
       .scratch = scores_of,
       .run = three_kernels},
      {.name = "tiles",
       .idea = "tiles in shared memory",
       .scratch = scores_of,
       .run = tiled_kernels},
      {.name = "fused",
       .idea = "one kernel, no scores in global memory",
       .run = fused_kernel},
      {.name = "register tiles",
       .idea = "16 scores a thread, 16 bytes a load",
       .run = register_tiles},
      {.name = "grouped",
       .idea = "heads that share keys share a block",
       .run = grouped_tiles},
      {.name = "bfloat16",
       .idea = "half the bytes, float32 sums",
       .half_precision = true},
      {.name = "split keys",
       .idea = "blocks share one query's keys",
       .scratch = scratch_of_split_keys,
       .run = split_keys},
  };
}
// [ladder]

namespace {

// [on the device]
// The arrays of a call in the device's memory.
template <typename Element>
class OnDevice {
 public:
  OnDevice(const Step& step, const Sizes& sizes, const Arrays& arrays)
      : sizes_(sizes),
        q_("q", elements(arrays.q)),
        k_("k", elements(arrays.k)),
        v_("v", elements(arrays.v)),
        out_("out", static_cast<Index>(arrays.q.size())),
        scratch_("scratch", step.scratch ? step.scratch(sizes) : 1) {}

  DeviceCall<Element> call() {
    return {sizes_, q_.data(), k_.data(), v_.data(), out_.data(),
            scratch_.data()};
  }

  std::vector<float> output() const {
    std::vector<float> numbers;
    for (const Element& x : out_.to_host()) {
      numbers.push_back(static_cast<float>(x));
    }
    return numbers;
  }

 private:
  static std::vector<Element> elements(const std::vector<float>& numbers) {
    std::vector<Element> all;
    for (const float x : numbers) all.push_back(Element(x));
    return all;
  }

  Sizes sizes_;
  device::DeviceArray<Element> q_, k_, v_, out_;
  device::DeviceArray<float> scratch_;
};
// [on the device]

}  // namespace

// [attend on the device]
std::vector<float> attend(const Step& step, const Sizes& sizes,
                          const Arrays& arrays, const Caller& caller) {
  cuda_port::check_sizes(sizes);
  if (step.half_precision) {
    OnDevice<__nv_bfloat16> on_device(step, sizes, arrays);
    caller([&] { grouped_tiles_bf16(on_device.call()); });
    return on_device.output();
  }
  OnDevice<float> on_device(step, sizes, arrays);
  caller([&] { step.run(on_device.call()); });
  return on_device.output();
}
// [attend on the device]

}  // namespace KERNEL_NAMESPACE
