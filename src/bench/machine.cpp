#include "machine.hpp"

#include "mha/at_width.hpp"
#include "mha/group_kernel.hpp"
#include "multiply_add.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bench {
namespace {

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  return taken.count();
}

// Calls work(thread) on each of them at once. The same team computes
// attention: threads of another would be kept from a core by its waiting ones.
template <typename Work>
void on_threads(int threads, const Work& work) {
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
  work(omp_get_thread_num());
#else
  for (int thread = 0; thread < threads; ++thread) work(thread);
#endif
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "unknown";
}

std::string compiler_name() {
#ifdef __clang__
  return fmt::format("clang++ {}.{}", __clang_major__, __clang_minor__);
#else
  return fmt::format("g++ {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
}

int all_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

double peak_gflops(int threads) {
  const int lanes = mha::width_here(0);
  const auto work = mha::at_width(
      0, [](auto width) { return &multiply_add_rounds<width>; });
  const double in_round = operations_in_round(lanes);
  const auto rounds = static_cast<std::int64_t>(8e8 / in_round);
  std::vector<float> results(static_cast<std::size_t>(threads));
  const double seconds = seconds_of([&] {
    on_threads(threads, [&](int thread) {
      results[static_cast<std::size_t>(thread)] = work(rounds);
    });
  });
  return threads * static_cast<double>(rounds) * in_round / seconds * 1e-9;
}

double seconds_to_read(const std::vector<float>& memory, int threads) {
  const auto n = static_cast<std::ptrdiff_t>(memory.size());
  return seconds_of([&] {
    on_threads(threads, [&](int thread) {
      const std::ptrdiff_t from = n * thread / threads;
      mha::read_all(memory.data() + from, n * (thread + 1) / threads - from);
    });
  });
}

double read_gb_per_second() {
  const std::vector<float> memory(std::size_t{1} << 28, 1.0F);
  return static_cast<double>(memory.size() * sizeof(float)) * 1e-9 /
         seconds_to_read(memory, all_threads());
}

}  // namespace bench
