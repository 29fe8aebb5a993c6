#pragma once

#include "device/barrier_order.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace device {

// [cell]
/// Those who read one word (or those who changed it atomically). Two that
/// nothing can put in order with a writer are as good as all of them, so that
/// two are kept, and the lanes of the first one's warp.
struct Accessors {
  Stamp first;
  Stamp second;
  std::uint32_t lanes = 0;  ///< of first's warp, all at first's tick
};

/// What is known of one word.
struct Cell {
  Stamp write;  ///< the last one
  Accessors reads;
  std::uint32_t notes = 0;  ///< see ShadowMemory
};
// [cell]

/// What is known of every word of one buffer or shared variable. Words have 4
/// bytes until a narrower access comes, then all have its size.
class ShadowMemory {
 public:
  /// `shared`: what earlier blocks did does not matter.
  ShadowMemory(std::uintptr_t begin, std::size_t bytes, bool shared);

  /// Makes words so narrow that an access there consists of whole ones.
  void fit(std::uintptr_t at, std::size_t bytes) {
    if (((at | bytes) & word_mask_) != 0) make_words_narrower(at | bytes);
  }
  std::size_t word_bytes() const { return word_mask_ + 1; }
  Cell& cell(std::uintptr_t at) { return cells_[(at - begin_) >> shift_]; }

  void written_by_host(std::uintptr_t at, std::size_t bytes);
  bool initialised(const Cell& cell, const BarrierOrder& order) const;

  // What a thread does to a word; whom that races with is given to `race`, a
  // function of a Stamp and of whether that one wrote, and was atomic.
  template <class Race>
  void read(Cell& cell, Stamp me, const BarrierOrder& order, Race&& race);
  template <class Race>
  void write(Cell& cell, Stamp me, const BarrierOrder& order, Race&& race);
  template <class Race>
  void atomic(Cell& cell, Stamp me, const BarrierOrder& order, Race&& race);

  void forget_all();  // but not what is initialised

 private:
  static constexpr std::uint32_t note_initialised = 1;
  static constexpr std::uint32_t note_strays = 2;  // see strays_
  static constexpr int note_atomics_shift = 2;     // above it: index + 1

  struct Free {
    void operator()(Cell* cells) const { std::free(cells); }
  };
  using Cells = std::unique_ptr<Cell[], Free>;

  static Cells new_cells(std::size_t count);
  void make_words_narrower(std::uintptr_t at_and_bytes);
  std::size_t words() const;

  // An earlier block of this launch did it.
  bool of_earlier_block(Stamp stamp, const BarrierOrder& order) const {
    return !shared_ && stamp.tick >= order.launch_start() &&
           stamp.tick < order.block_start();
  }
  bool races(Stamp before, Stamp me, const BarrierOrder& order) const {
    return order.unordered(before, me.thread) ||
           of_earlier_block(before, order);
  }
  bool complete(const Accessors& all, const BarrierOrder& order) const;
  void remember(Cell& cell, Accessors& all, Stamp me,
                const BarrierOrder& order);
  Stamp rival(const Cell& cell, const Accessors& all, Stamp me,
              const BarrierOrder& order) const;
  Stamp lane_not_seen(const Accessors& all, Stamp me,
                      const BarrierOrder& order) const;
  Accessors* atomics(const Cell& cell) {
    const std::uint32_t index = cell.notes >> note_atomics_shift;
    return index == 0 ? nullptr : &atomics_[index - 1];
  }
  const Accessors* atomics(const Cell& cell) const {
    const std::uint32_t index = cell.notes >> note_atomics_shift;
    return index == 0 ? nullptr : &atomics_[index - 1];
  }
  Accessors& new_atomics(Cell& cell);

  std::uintptr_t begin_;
  std::size_t bytes_;
  bool shared_;
  bool all_initialised_ = false;
  std::uintptr_t word_mask_ = 3;
  int shift_ = 2;
  Cells cells_;
  std::deque<Accessors> atomics_;  // strays_ keeps addresses
  // Lanes of one warp between which only barriers of a part of the warp stand:
  // they do not fit in Accessors.
  std::unordered_map<const Accessors*, std::vector<Stamp>> strays_;
};

/// Whether a writer of this block races with one that is kept whoever it is.
inline bool ShadowMemory::complete(const Accessors& all,
                                   const BarrierOrder& order) const {
  if (all.second.tick >= order.interval_start()) {
    return warp_of(all.first.thread) != warp_of(all.second.thread);
  }
  return of_earlier_block(all.second, order);
}

template <class Race>
void ShadowMemory::read(Cell& cell, Stamp me, const BarrierOrder& order,
                        Race&& race) {
  if (races(cell.write, me, order)) race(cell.write, true, false);
  if (const Accessors* const atomic = atomics(cell)) {
    const Stamp other = rival(cell, *atomic, me, order);
    if (other.tick != 0) race(other, true, true);
  }
  if (!complete(cell.reads, order)) remember(cell, cell.reads, me, order);
}

template <class Race>
void ShadowMemory::write(Cell& cell, Stamp me, const BarrierOrder& order,
                         Race&& race) {
  if (races(cell.write, me, order)) race(cell.write, true, false);
  const Stamp reader = rival(cell, cell.reads, me, order);
  if (reader.tick != 0) race(reader, false, false);
  if (const Accessors* const atomic = atomics(cell)) {
    const Stamp other = rival(cell, *atomic, me, order);
    if (other.tick != 0) race(other, true, true);
  }
  cell.write = me;
  cell.notes |= note_initialised;
}

template <class Race>
void ShadowMemory::atomic(Cell& cell, Stamp me, const BarrierOrder& order,
                          Race&& race) {
  if (races(cell.write, me, order)) race(cell.write, true, false);
  const Stamp reader = rival(cell, cell.reads, me, order);
  if (reader.tick != 0) race(reader, false, false);
  Accessors* all = atomics(cell);
  if (all == nullptr) all = &new_atomics(cell);
  if (!complete(*all, order)) remember(cell, *all, me, order);
  cell.notes |= note_initialised;
}

}  // namespace device
