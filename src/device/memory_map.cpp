#include "device/memory_map.hpp"

#include <iterator>
#include <utility>

namespace device {

Region& MemoryMap::add(std::uintptr_t begin, std::size_t bytes,
                       MemoryKind kind, std::string name,
                       std::size_t element_bytes) {
  Region region;
  region.begin = begin;
  region.bytes = bytes;
  region.kind = kind;
  region.name = std::move(name);
  region.element_bytes = element_bytes;
  if (kind == MemoryKind::global || kind == MemoryKind::shared) {
    region.shadow.emplace(begin, bytes, kind == MemoryKind::shared);
  }
  return regions_.insert_or_assign(begin, std::move(region)).first->second;
}

void MemoryMap::remove(std::uintptr_t begin) { regions_.erase(begin); }

Region* MemoryMap::find(std::uintptr_t at) {
  const auto after = regions_.upper_bound(at);
  if (after == regions_.begin()) return nullptr;
  Region& before = std::prev(after)->second;
  return before.contains(at) ? &before : nullptr;
}

Region* MemoryMap::near(std::uintptr_t at, std::size_t distance) {
  const auto after = regions_.upper_bound(at);
  Region* nearest = nullptr;
  const auto offer = [&](Region& region, std::size_t away) {
    const bool watched = region.kind == MemoryKind::global ||
                         region.kind == MemoryKind::shared;
    if (!watched || away >= distance) return;
    if (!region.guarded && away >= region.bytes) return;
    distance = away;
    nearest = &region;
  };
  if (after != regions_.begin()) {
    Region& before = std::prev(after)->second;
    offer(before, at - (before.begin + before.bytes));
  }
  if (after != regions_.end()) offer(after->second, after->first - at);
  return nearest;
}

}  // namespace device
