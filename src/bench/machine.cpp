#include "machine.hpp"

#include "mha/fused_forward.hpp"
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

using Rounds = float (*)(std::int64_t);

Rounds rounds_for(int lanes) {
#ifdef MHA_X86_WIDTHS
  if (lanes == 8) return multiply_add_rounds<8>;
  if (lanes == 16) return multiply_add_rounds<16>;
#endif
  return lanes == 4 ? multiply_add_rounds<4> : nullptr;
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
  static const int lanes = mha::vector_widths().back();
  const double in_round = operations_in_round(lanes);
  const auto rounds = static_cast<std::int64_t>(8e8 / in_round);
  std::vector<float> results(static_cast<std::size_t>(threads));
  const double seconds = seconds_of([&] {
    on_threads(threads, [&](int thread) {
      results[static_cast<std::size_t>(thread)] = rounds_for(lanes)(rounds);
    });
  });
  return threads * static_cast<double>(rounds) * in_round / seconds * 1e-9;
}

double read_gb_per_second() {
  const int threads = all_threads();
  const std::size_t each = (std::size_t{1} << 28) / static_cast<std::size_t>(threads);
  const std::vector<float> memory(each * static_cast<std::size_t>(threads), 1);
  std::vector<float> results(static_cast<std::size_t>(threads));
  const double seconds = seconds_of([&] {
    on_threads(threads, [&](int thread) {
      const auto n = static_cast<std::size_t>(thread);
      results[n] = sum_of(memory.data() + n * each, static_cast<std::int64_t>(each));
    });
  });
  if (results[0] != static_cast<float>(each)) return 0;
  return static_cast<double>(memory.size() * sizeof(float)) / seconds * 1e-9;
}

}  // namespace bench
