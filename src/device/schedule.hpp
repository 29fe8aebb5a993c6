/// \file schedule.hpp
/// In which order threads and blocks run.
#pragma once

#include <cstdint>
#include <deque>

namespace device {

/// Numbers that look random, the same for a seed on every machine: Steele, Lea
/// and Flood's SplitMix64 (OOPSLA 2014).
class SplitMix {
 public:
  /// \param seed  any number
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  /// \return the next number
  std::uint64_t next();

  /// \param count  at least 1
  /// \return a number from 0 to count - 1
  std::int64_t below(std::int64_t count);

 private:
  std::uint64_t state_;
};

/// The order of a launch's blocks: every block once, by steps of a fixed
/// length round a circle, which takes no memory.
class BlockOrder {
 public:
  /// \param blocks  how many, at least 1
  /// \param seed    0: from the first to the last
  BlockOrder(std::int64_t blocks, std::uint64_t seed);

  /// \param turn  from 0 to blocks - 1
  /// \return the block whose turn it is
  std::int64_t at(std::int64_t turn) const;

 private:
  std::int64_t blocks_;
  std::int64_t first_ = 0;
  std::int64_t step_ = 1;
};

/// Threads that could run now, and which of them does.
class ReadyThreads {
 public:
  /// \param seed  0: who came first goes first; another: any, by this seed
  explicit ReadyThreads(std::uint64_t seed) : seed_(seed), random_(seed) {}

  /// \param thread  can run from now on
  void add(int thread) { threads_.push_back(thread); }

  /// \return whether there is none
  bool empty() const { return threads_.empty(); }

  /// Forgets all of them.
  void clear() { threads_.clear(); }

  /// \return one of them, no longer among them
  int take();

  /// \return after how many accesses to memory another thread has its turn
  std::int64_t turn_length();

 private:
  std::uint64_t seed_;
  SplitMix random_;
  std::deque<int> threads_;
};

}  // namespace device
