#include "device/site_table.hpp"

#include <limits>

namespace device {
namespace {

constexpr std::size_t most_sites = std::numeric_limits<std::uint16_t>::max();

}  // namespace

SiteTable::SiteTable() : slots_(std::size_t{1} << (64 - shift_)) {
  sites_.emplace_back();
  sites_.back().line.emplace();
}

Site& SiteTable::find_or_add(const void* code, AccessKind kind) {
  const std::uint64_t key = key_of(code, kind);
  std::size_t index = index_of(key);
  while (slots_[index].site != nullptr) {
    if (slots_[index].key == key) return *slots_[index].site;
    index = (index + 1) % slots_.size();
  }
  if (sites_.size() > most_sites) return sites_.front();
  if (4 * sites_.size() > slots_.size()) grow();
  Site& site = sites_.emplace_back();
  site.code = code;
  site.number = static_cast<std::uint16_t>(sites_.size() - 1);
  site.counts.kind = kind;
  add_slot(site);
  return site;
}

void SiteTable::add_slot(Site& site) {
  const std::uint64_t key = key_of(site.code, site.counts.kind);
  std::size_t index = index_of(key);
  while (slots_[index].site != nullptr) index = (index + 1) % slots_.size();
  slots_[index] = {key, &site};
}

void SiteTable::grow() {
  --shift_;
  slots_.assign(std::size_t{1} << (64 - shift_), Slot());
  for (Site& site : sites_) {
    if (site.number != 0) add_slot(site);
  }
}

SourceLine SiteTable::line_of(std::uint16_t number) {
  Site& site = sites_[number];
  if (!site.line) site.line = source_line(site.code);
  return *site.line;
}

void SiteTable::forget_regions() {
  for (Site& site : sites_) site.region = nullptr;
}

}  // namespace device
