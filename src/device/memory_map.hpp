#pragma once

#include "device/shadow_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace device {

enum class MemoryKind {
  nowhere,  ///< no memory that a kernel may touch
  global,   ///< a buffer
  shared,
  silent    ///< fine to read, neither watched nor counted: constants and such
};

/// One stretch of memory that kernels may touch.
struct Region {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::nowhere;
  std::string name;
  std::size_t element_bytes = 4;
  std::optional<ShadowMemory> shadow;  // of global and shared memory
  bool guarded = false;  // guard_bytes before and behind belong to nobody
  bool touched = false;  // in this launch

  bool contains(std::uintptr_t at) const { return at - begin < bytes; }
};

/// All memory that kernels may touch, by address.
class MemoryMap {
 public:
  Region& add(std::uintptr_t begin, std::size_t bytes, MemoryKind kind,
              std::string name, std::size_t element_bytes);
  void remove(std::uintptr_t begin);
  /// The region that holds the address, or null.
  Region* find(std::uintptr_t at);
  /// The buffer or shared memory before whose beginning, or behind whose end,
  /// the address lies by less than `distance`, and by less than its own size
  /// where others may lie between; the nearest, or null.
  Region* near(std::uintptr_t at, std::size_t distance);
  auto begin() { return regions_.begin(); }
  auto end() { return regions_.end(); }

 private:
  std::map<std::uintptr_t, Region> regions_;  // by begin; addresses stay
};

}  // namespace device
