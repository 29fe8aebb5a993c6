#include "gpu_speed.hpp"

#include "on_cpu.hpp"
#include "traffic.hpp"

#include "device/gpu_state.hpp"

#include "mha/program.hpp"

namespace cuda_port {

// [print gpu]
void print_gpu(const Sizes& s) {
  mha::heading("On a GPU");
  if (!device::why_no_gpu().empty()) {
    fmt::print("No GPU was found. What is above ran on the book's own device, "
               "on the CPU.\n");
    return;
  }
  // Numbers that bfloat16 holds too, so that every step gets the same.
  const Arrays arrays = random_arrays(step_named("bfloat16"), s, 0);
  const std::vector<double> wanted = by_definition(s, arrays);
  const GpuSpeed speed = measure_on_gpu(s, arrays);
  fmt::print("{}: copies {:.0f} GB/s, {}\n", speed.card,
             speed.copy_bytes_per_second / 1e9,
             speed.gemm_per_second > 0
                 ? fmt::format("cuBLAS {:.1f} TFLOP/s",
                               speed.gemm_per_second / 1e12)
                 : "and cuBLAS could not be used");
  fmt::print("{:<15} {:>7} {:>9} {:>12} {:>13}\n", "", "", "ms",
             "of the copy", "of cuBLAS");
  const double operations = static_cast<double>(cuda_port::operations(s));
  const double bytes = 32 * static_cast<double>(least_segments(s));
  for (const StepOnGpu& step : speed.steps) {
    const double seconds = step.milliseconds / 1e3;
    const bool half = step_named(step.name).half_precision;
    const bool right = largest_difference(step.output, wanted) <=
                       tolerance(step_named(step.name));
    fmt::print("{:<15} {:>7} {:9.3f} {:11.1f}% {:12.1f}%\n", step.name,
               right ? "equal" : "WRONG", step.milliseconds,
               100 * bytes / (half ? 2 : 1) / seconds /
                   speed.copy_bytes_per_second,
               speed.gemm_per_second > 0
                   ? 100 * operations / seconds / speed.gemm_per_second
                   : 0.0);
  }
}
// [print gpu]

// [no gpu code]
#ifndef MHA_GPU
GpuSpeed measure_on_gpu(const Sizes&, const Arrays&) {
  throw std::runtime_error(device::why_no_gpu());
}
#endif
// [no gpu code]

}  // namespace cuda_port
