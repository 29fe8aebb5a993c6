// Runs kernels as nvcc compiled them to PTX, one instruction after the other.
#pragma once

#include "ptx_code.hpp"

#include "device/launch_counts.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptx {

// The arrays in a card's memory: nothing else may be touched.
class CardMemory {
 public:
  void* allocate(std::size_t bytes);  // begins at a multiple of 256
  bool release(void* begin);          // false: it is not the beginning of one
  bool holds(std::uintptr_t at, std::size_t bytes) const;
  std::size_t bytes_held() const { return bytes_held_; }

 private:
  std::map<std::uintptr_t, std::size_t> arrays_;
  std::size_t bytes_held_ = 0;
};

using Counts3 = std::array<std::uint32_t, 3>;

struct Launch {
  const Kernel* kernel = nullptr;
  Counts3 grid{1, 1, 1};
  Counts3 block{1, 1, 1};
  std::size_t dynamic_bytes = 0;
  std::vector<unsigned char> parameters = {};
  std::uint64_t seed = 0;  // of the order of the threads; 0: by number
};

// What it asked of the memories.
struct Asked {
  std::string kernel;  // as the linker knows it
  device::Traffic global;
  device::Traffic shared;
  std::int64_t barriers = 0;  // passed, by blocks
};

// What no card would do without harm: an access outside of all arrays or at an
// address that is no multiple of its size, threads that wait for each other in
// vain.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws Fault.
Asked run(const Launch& launch, const Module& module, CardMemory& memory);

}  // namespace ptx
