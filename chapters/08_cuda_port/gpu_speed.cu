// Chapter 8: how fast the kernels are on a GPU. For nvcc alone.
#include "gpu_speed.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

namespace cuda_port {
namespace {

// [checked]
void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " +
                             cudaGetErrorString(error));
  }
}
// [checked]

// [event]
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { check(cudaEventRecord(event_), "an event"); }
  double milliseconds_since(const Event& from) const {
    check(cudaEventSynchronize(event_), "a measured call");
    float time = 0;
    check(cudaEventElapsedTime(&time, from.event_, event_), "an event");
    return static_cast<double>(time);
  }

 private:
  cudaEvent_t event_ = nullptr;
};
// [event]

// [time on gpu]
// Milliseconds of one call: the median of 9 times so many calls in a row that
// they take 5 ms. Finding out how many that is warms the card up.
template <typename Call>
double milliseconds(const Call& call) {
  Event from, to;
  const auto time_of = [&](int calls) {
    from.record();
    for (int n = 0; n < calls; ++n) call();
    to.record();
    return to.milliseconds_since(from);
  };
  int calls = 1;
  while (time_of(calls) < 5 && calls < 4096) calls *= 2;
  std::vector<double> times;
  for (int n = 0; n < 9; ++n) times.push_back(time_of(calls) / calls);
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}
// [time on gpu]

// [copy speed]
double copy_speed() {
  const Index count = Index{1} << 26;  // 256 MiB
  device::DeviceArray<float> from("from", count), to("to", count);
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
  const double time = milliseconds([&] {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes,
                          cudaMemcpyDeviceToDevice), "a copy");
  });
  return 2 * static_cast<double>(bytes) / (time / 1e3);
}
// [copy speed]

// [gemm speed]
// cuBLAS is opened when it is needed, so that the program starts without it.
template <typename Function>
Function* cublas(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

// Numbers that differ, as those of a layer do.
std::vector<float> many_numbers(Index count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  std::uint32_t state = 1;
  for (float& x : numbers) {
    state = 1664525 * state + 1013904223;
    x = static_cast<float>(state >> 8) / (1 << 23) - 1;
  }
  return numbers;
}

double gemm_speed() {
  // The second name comes with the tools to develop, and may be missing.
  void* library = dlopen(
      ("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)).c_str(), RTLD_NOW);
  if (library == nullptr) library = dlopen("libcublas.so", RTLD_NOW);
  if (library == nullptr) return 0;
  const auto create = cublas<decltype(cublasCreate_v2)>(library,
                                                        "cublasCreate_v2");
  const auto destroy = cublas<decltype(cublasDestroy_v2)>(library,
                                                          "cublasDestroy_v2");
  const auto gemm = cublas<decltype(cublasSgemm_v2)>(library,
                                                     "cublasSgemm_v2");
  cublasHandle_t handle = nullptr;
  if (!create || !destroy || !gemm || create(&handle) != 0) return 0;
  const int n = 4096;
  const std::vector<float> numbers = many_numbers(Index{n} * n);
  const device::DeviceArray<float> a("a", numbers), b("b", numbers);
  device::DeviceArray<float> c("c", Index{n} * n);
  const float one = 1, zero = 0;
  const double time = milliseconds([&] {
    if (gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data(), n,
             b.data(), n, &zero, c.data(), n) != 0) {
      throw std::runtime_error("cuBLAS refused a product of 4096 x 4096");
    }
  });
  destroy(handle);
  return 2.0 * n * n * n / (time / 1e3);
}
// [gemm speed]

}  // namespace

// [measure on gpu]
GpuSpeed measure_on_gpu(const Sizes& sizes, const Arrays& arrays) {
  GpuSpeed speed;
  cudaDeviceProp card{};
  check(cudaGetDeviceProperties(&card, 0), "the card");
  speed.card = card.name;
  speed.copy_bytes_per_second = copy_speed();
  speed.gemm_per_second = gemm_speed();
  for (const Step& step : on_gpu::ladder()) {
    StepOnGpu timed{step.name, 0, {}};
    timed.output = on_gpu::attend(
        step, sizes, arrays,
        [&](const auto& call) { timed.milliseconds = milliseconds(call); });
    speed.steps.push_back(timed);
  }
  return speed;
}
// [measure on gpu]

}  // namespace cuda_port
