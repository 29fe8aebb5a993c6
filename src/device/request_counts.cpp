#include "device/request_counts.hpp"

#include <algorithm>
#include <array>

namespace device {
namespace {

constexpr std::uint64_t segment_bytes = 32;
constexpr std::uint64_t bank_count = 32;
constexpr std::uint64_t bank_bytes = 4;
constexpr std::size_t most_runs_kept = std::size_t{1} << 22;

// Numbers, each once.
class SmallSet {
 public:
  bool add(std::uint64_t number) {
    // Lanes mostly go up: the last one is the likeliest.
    for (std::size_t i = size_; i > 0; --i) {
      if (numbers_[i - 1] == number) return false;
    }
    numbers_[size_++] = number;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  std::array<std::uint64_t, 4 * lanes_per_warp> numbers_;  // up to size_
  std::size_t size_ = 0;
};

std::uint64_t last_byte(PackedAccess access) {
  return access.at() + static_cast<std::uint64_t>(access.bytes()) - 1;
}

// Passes of the lanes that go together.
std::int64_t passes_of_lanes(const WarpRequest& request, int first, int end) {
  std::array<std::int64_t, bank_count> words_in_bank{};
  SmallSet words;
  for (const auto& [lane, access] : request) {
    if (lane < first || lane >= end) continue;
    for (std::uint64_t word = access.at() / bank_bytes;
         word <= last_byte(access) / bank_bytes; ++word) {
      if (words.add(word)) ++words_in_bank[word % bank_count];
    }
  }
  return *std::max_element(words_in_bank.begin(), words_in_bank.end());
}

// One request, as many times as `times` says. An atomic access loads and
// stores.
void count_request(SiteCounts& site, const WarpRequest& request,
                   std::int64_t times) {
  const PackedAccess one = request[0].access;
  Traffic& traffic = one.shared() ? site.shared : site.global;
  WarpRequest& sample = one.shared() ? site.shared_sample : site.global_sample;
  if (request.size() > sample.size()) sample = request;
  const std::int64_t accesses = static_cast<std::int64_t>(request.size()) *
                                times;
  std::int64_t segments = 0;
  if (one.shared()) {
    traffic.bank_passes += bank_passes_of(request) * times;
  } else {
    segments = segments_of(request) * times;
  }
  if (site.kind != AccessKind::write) {
    traffic.loads += accesses;
    traffic.bytes_loaded += accesses * one.bytes();
    traffic.load_requests += times;
    traffic.load_segments += segments;
  }
  if (site.kind != AccessKind::read) {
    traffic.stores += accesses;
    traffic.bytes_stored += accesses * one.bytes();
    traffic.store_requests += times;
    traffic.store_segments += segments;
  }
}

// Lanes that touch the other kind of memory, or another width, are requests of
// their own.
void count_by_sort(SiteCounts& site, const WarpRequest& all,
                   std::int64_t times) {
  std::array<bool, lanes_per_warp> counted{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (counted[i]) continue;
    WarpRequest alike;
    for (std::size_t j = i; j < all.size(); ++j) {
      if (all[j].access.sort() != all[i].access.sort()) continue;
      alike.add(all[j]);
      counted[j] = true;
    }
    count_request(site, alike, times);
  }
}

// Gives one thread's accesses in order, run by run.
class LogReader {
 public:
  LogReader() = default;
  LogReader(const LaneLog& log, int lane) : log_(&log), lane_(lane) {
    next_run();
  }
  bool done() const { return run_.count == 0; }
  const Run& run() const { return run_; }
  int lane() const { return lane_; }
  PackedAccess access(std::uint32_t step) const {
    return PackedAccess(run_.first + step * run_.stride);
  }
  bool changes_sort() const {
    return access(run_.count - 1).sort() != access(0).sort();
  }
  void skip(std::uint32_t steps) {
    run_.first += steps * run_.stride;
    run_.count -= steps;
    if (run_.count == 0) next_run();
  }

 private:
  void next_run() {
    const std::size_t runs = log_->before.size();
    run_ = index_ < runs ? log_->before[index_]
                         : index_ == runs ? log_->run : Run();
    ++index_;
  }

  const LaneLog* log_ = nullptr;
  int lane_ = 0;
  std::size_t index_ = 0;
  Run run_;
};

// After how many equal steps all lanes stand in their segments as before.
std::uint32_t period_of(std::uint64_t stride) {
  std::uint32_t period = segment_bytes;
  while (period > 1 && stride % 2 == 0) {
    stride /= 2;
    period /= 2;
  }
  return period;
}

// The lanes of one warp at one place in the code.
class WarpReader {
 public:
  WarpReader(const std::vector<LaneLog>& logs, int warp) {
    const std::size_t first = static_cast<std::size_t>(warp) * lanes_per_warp;
    const std::size_t end =
        std::min<std::size_t>(first + lanes_per_warp, logs.size());
    for (std::size_t thread = first; thread < end; ++thread) {
      lanes_[size_++] = LogReader(logs[thread],
                                  static_cast<int>(thread - first));
    }
    drop_done();
  }
  bool done() const { return size_ == 0; }

  // Counts the requests that the lanes' present runs make together.
  void count_some(SiteCounts& site) {
    std::uint32_t steps = lanes_[0].run().count;
    bool same_stride = true;
    for (std::size_t i = 0; i < size_; ++i) {
      const Run& run = lanes_[i].run();
      steps = lanes_[i].changes_sort() ? 1 : std::min(steps, run.count);
      same_stride = same_stride && run.stride == lanes_[0].run().stride;
    }
    std::uint32_t period = steps;
    if (same_stride) {
      period = std::min(steps, period_of(lanes_[0].run().stride));
    }
    for (std::uint32_t step = 0; step < period; ++step) {
      count_by_sort(site, request(step), (steps - step - 1) / period + 1);
    }
    for (std::size_t i = 0; i < size_; ++i) lanes_[i].skip(steps);
    drop_done();
  }

 private:
  WarpRequest request(std::uint32_t step) const {
    WarpRequest request;
    for (std::size_t i = 0; i < size_; ++i) {
      request.add({lanes_[i].lane(), lanes_[i].access(step)});
    }
    return request;
  }
  void drop_done() {
    const auto end = std::remove_if(
        lanes_.begin(), lanes_.begin() + static_cast<std::ptrdiff_t>(size_),
        [](const LogReader& lane) { return lane.done(); });
    size_ = static_cast<std::size_t>(end - lanes_.begin());
  }

  std::array<LogReader, lanes_per_warp> lanes_{};
  std::size_t size_ = 0;
};

}  // namespace

// [segments]
std::int64_t segments_of(const WarpRequest& request) {
  SmallSet segments;
  for (const auto& [lane, access] : request) {
    segments.add(access.at() / segment_bytes);
    segments.add(last_byte(access) / segment_bytes);
  }
  return static_cast<std::int64_t>(segments.size());
}
// [segments]

std::int64_t bank_passes_of(const WarpRequest& request) {
  if (request.size() == 0) return 0;
  const std::int64_t bytes = request[0].access.bytes();
  const int together = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  std::int64_t passes = 0;
  for (int lane = 0; lane < lanes_per_warp; lane += together) {
    passes += passes_of_lanes(request, lane, lane + together);
  }
  return passes;
}

void RequestCounts::launch_begins(int threads_per_block) {
  threads_ = threads_per_block;
  touched_.assign(static_cast<std::size_t>(warp_of(threads_ - 1)) + 1, {});
  runs_kept_ = 0;
  cut_short_ = false;
}

void RequestCounts::begin_run(SiteCounts& site, LaneLog& log, int thread,
                              PackedAccess access) {
  if (log.run.count == 1) {
    log.run.stride = access.bits() - log.run.first;
    log.run.count = 2;
    log.next = access.bits() + log.run.stride;
    return;
  }
  if (log.run.count > 1) {
    log.before.push_back(log.run);
    log.run = Run();
    if (++runs_kept_ > most_runs_kept) {
      block_is_together();
      cut_short_ = true;
    }
  }
  log.run = {access.bits(), 0, 1};
  const int warp = warp_of(thread);
  if ((site.touched_warps >> warp & 1) != 0) return;
  site.touched_warps |= 1U << warp;
  touched_[static_cast<std::size_t>(warp)].push_back(&site);
}

void RequestCounts::warp_is_together(int warp) {
  std::vector<SiteCounts*>& touched = touched_[static_cast<std::size_t>(warp)];
  for (SiteCounts* const site : touched) {
    WarpReader reader(site->lanes, warp);
    while (!reader.done()) reader.count_some(*site);
    forget(*site, warp);
  }
  touched.clear();
}

void RequestCounts::forget(SiteCounts& site, int warp) {
  const std::size_t first = static_cast<std::size_t>(warp) * lanes_per_warp;
  const std::size_t end =
      std::min<std::size_t>(first + lanes_per_warp, site.lanes.size());
  for (std::size_t thread = first; thread < end; ++thread) {
    LaneLog& log = site.lanes[thread];
    runs_kept_ -= log.before.size();
    log.before.clear();
    log.run = Run();
  }
  site.touched_warps &= ~(1U << warp);
}

void RequestCounts::block_is_together() {
  for (std::size_t warp = 0; warp < touched_.size(); ++warp) {
    warp_is_together(static_cast<int>(warp));
  }
}

}  // namespace device
