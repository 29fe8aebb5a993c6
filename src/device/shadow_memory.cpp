#include "device/shadow_memory.hpp"

#include <algorithm>
#include <new>

namespace device {
namespace {

// log2 of the widest word, up to 4 bytes, that divides the number.
int word_shift(std::uintptr_t number) {
  int shift = 0;
  while (shift < 2 && (number >> shift & 1) == 0) ++shift;
  return shift;
}

}  // namespace

ShadowMemory::ShadowMemory(std::uintptr_t begin, std::size_t bytes,
                           bool shared)
    : begin_(begin), bytes_(bytes), shared_(shared) {
  shift_ = word_shift(begin | bytes);
  word_mask_ = (std::uintptr_t{1} << shift_) - 1;
  cells_ = new_cells(words());
}

std::size_t ShadowMemory::words() const { return bytes_ >> shift_; }

// calloc leaves pages that nobody touches to the system.
ShadowMemory::Cells ShadowMemory::new_cells(std::size_t count) {
  static_assert(sizeof(Cell) == 32);
  void* const memory = std::calloc(std::max<std::size_t>(count, 1),
                                   sizeof(Cell));
  if (memory == nullptr) throw std::bad_alloc();
  return Cells(static_cast<Cell*>(memory));
}

void ShadowMemory::make_words_narrower(std::uintptr_t at_and_bytes) {
  const std::size_t old_words = words();
  const int old_shift = shift_;
  shift_ = word_shift(at_and_bytes);
  word_mask_ = (std::uintptr_t{1} << shift_) - 1;
  const std::size_t parts = std::size_t{1} << (old_shift - shift_);
  const Cells old = std::move(cells_);
  const std::deque<Accessors> old_atomics = std::move(atomics_);
  const auto old_strays = std::move(strays_);
  strays_.clear();
  atomics_.clear();
  cells_ = new_cells(words());
  for (std::size_t word = 0; word < old_words; ++word) {
    const Cell& from = old[word];
    if (from.notes == 0 && from.reads.first.tick == 0) continue;
    const std::uint32_t index = from.notes >> note_atomics_shift;
    for (std::size_t part = 0; part < parts; ++part) {
      Cell& to = cells_[word * parts + part];
      to = from;
      if (const auto s = old_strays.find(&from.reads); s != old_strays.end()) {
        strays_[&to.reads] = s->second;
      }
      if (index == 0) continue;
      to.notes &= (1U << note_atomics_shift) - 1;
      new_atomics(to) = old_atomics[index - 1];
    }
  }
}

Accessors& ShadowMemory::new_atomics(Cell& cell) {
  atomics_.emplace_back();
  cell.notes |= static_cast<std::uint32_t>(atomics_.size())
                << note_atomics_shift;
  return atomics_.back();
}

void ShadowMemory::written_by_host(std::uintptr_t at, std::size_t bytes) {
  if (at == begin_ && bytes == bytes_) {
    all_initialised_ = true;
    return;
  }
  if (bytes == 0) return;
  fit(at, bytes);
  for (std::uintptr_t word = at; word < at + bytes; word += word_bytes()) {
    cell(word).notes |= note_initialised;
  }
}

// Shared memory holds nothing when a block begins.
bool ShadowMemory::initialised(const Cell& cell,
                               const BarrierOrder& order) const {
  if (!shared_) {
    return all_initialised_ || (cell.notes & note_initialised) != 0;
  }
  if (cell.write.tick >= order.block_start()) return true;
  const Accessors* const atomic = atomics(cell);
  return atomic != nullptr && atomic->first.tick >= order.block_start();
}

// Keeps what any later writer of this block, and of a later one, needs.
void ShadowMemory::remember(Cell& cell, Accessors& all, Stamp me,
                            const BarrierOrder& order) {
  Stamp& first = all.first;
  const std::uint32_t my_lane = 1U << lane_of(me.thread);
  if (first.tick < order.interval_start()) {
    if (of_earlier_block(first, order)) all.second = first;
    first = me;
    all.lanes = my_lane;
    return;
  }
  if (warp_of(first.thread) != warp_of(me.thread)) {
    all.second = me;
    return;
  }
  if (first.tick == me.tick) {
    all.lanes |= my_lane;
    if (first.thread != me.thread) all.second = me;
    return;
  }
  // A barrier of lanes came between. Those it names can be forgotten: who
  // races with them races with this one.
  if (lane_not_seen(all, me, order).tick == 0) {
    first = me;
    all.lanes = my_lane;
    all.second = Stamp();
    return;
  }
  std::vector<Stamp>& strays = strays_[&all];
  const auto same = std::find_if(
      strays.begin(), strays.end(),
      [me](Stamp stray) { return stray.thread == me.thread; });
  if (same == strays.end()) {
    strays.push_back(me);
  } else {
    *same = me;
  }
  cell.notes |= note_strays;
}

// One lane of first's warp that no barrier puts before `me`; tick 0: none.
Stamp ShadowMemory::lane_not_seen(const Accessors& all, Stamp me,
                                  const BarrierOrder& order) const {
  if (order.unordered(all.first, me.thread)) return all.first;
  const bool second_is_lane =
      all.second.tick == all.first.tick &&
      warp_of(all.second.thread) == warp_of(all.first.thread);
  if (second_is_lane && order.unordered(all.second, me.thread)) {
    return all.second;
  }
  const int first_of_warp = warp_of(all.first.thread) * lanes_per_warp;
  for (int lane = 0; lane < lanes_per_warp; ++lane) {
    if ((all.lanes >> lane & 1) == 0) continue;
    const Stamp other{all.first.tick,
                      static_cast<std::uint16_t>(first_of_warp + lane), 0};
    if (order.unordered(other, me.thread)) return other;  // its line is lost
  }
  return Stamp();
}

// One of those kept that races with `me`; tick 0: none.
Stamp ShadowMemory::rival(const Cell& cell, const Accessors& all, Stamp me,
                          const BarrierOrder& order) const {
  if (races(all.first, me, order)) return all.first;
  if (races(all.second, me, order)) return all.second;
  if (all.first.tick < order.interval_start()) return Stamp();
  if (warp_of(all.first.thread) == warp_of(me.thread)) {
    const Stamp other = lane_not_seen(all, me, order);
    if (other.tick != 0) return other;
  }
  if ((cell.notes & note_strays) == 0) return Stamp();
  const auto strays = strays_.find(&all);
  if (strays == strays_.end()) return Stamp();
  for (const Stamp& stray : strays->second) {
    if (order.unordered(stray, me.thread)) return stray;
  }
  return Stamp();
}

void ShadowMemory::forget_all() {
  strays_.clear();
  atomics_.clear();
  for (std::size_t word = 0; word < words(); ++word) {
    Cell& cell = cells_[word];
    const std::uint32_t kept = cell.notes & note_initialised;
    cell = Cell();
    cell.notes = kept;
  }
}

}  // namespace device
