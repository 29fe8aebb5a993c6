#pragma once

#include "device/memory_map.hpp"
#include "device/request_counts.hpp"
#include "device/source_lines.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace device {

/// A place in the kernels' code that touches memory, in one way: a call that
/// copies is two.
struct Site {
  const void* code = nullptr;
  std::uint16_t number = 0;
  Region* region = nullptr;  ///< the one it touched last, or null
  SiteCounts counts;
  std::optional<SourceLine> line;  ///< once somebody asked
};

/// All places that have touched memory, by address.
class SiteTable {
 public:
  SiteTable();
  Site& at(const void* code, AccessKind kind) {
    const std::uint64_t key = key_of(code, kind);
    const Slot& slot = slots_[index_of(key)];
    return slot.key == key ? *slot.site : find_or_add(code, kind);
  }
  Site& numbered(std::uint16_t number) { return sites_[number]; }
  SourceLine line_of(std::uint16_t number);
  void forget_regions();
  auto begin() { return sites_.begin(); }
  auto end() { return sites_.end(); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Site* site = nullptr;
  };
  static std::uint64_t key_of(const void* code, AccessKind kind) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(code))
               << 2 |
           static_cast<std::uint64_t>(kind);
  }
  // A hash (Fibonacci hashing: Knuth, volume 3, section 6.4).
  std::size_t index_of(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15 >> shift_);
  }
  Site& find_or_add(const void* code, AccessKind kind);
  void add_slot(Site& site);
  void grow();

  int shift_ = 64 - 10;
  std::vector<Slot> slots_;
  std::deque<Site> sites_;  // by number; 0 stands for an unknown place
};

}  // namespace device
