// Runs the tests on the graphics card. Without one there is nothing to test:
// that is said, and ctest shows the test as skipped.
#include "device/gpu_state.hpp"

#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  if (const std::string why = device::why_no_gpu(); !why.empty()) {
    std::printf("Skipped: %s.\n", why.c_str());
    return skipped;
  }
  return doctest::Context(argc, argv).run();
}
