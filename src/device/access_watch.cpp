#include "device/access_watch.hpp"

#include "device/may_pause.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace device {
namespace {

constexpr std::size_t most_unwritten = std::size_t{1} << 20;
constexpr std::uintptr_t first_page = 4096;

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

std::int64_t difference(std::uintptr_t a, std::uintptr_t b) {
  return static_cast<std::intptr_t>(a - b);
}

// Rounds down, below zero too.
std::int64_t element_at(const Region& region, std::uintptr_t at) {
  const std::int64_t bytes = difference(at, region.begin);
  const auto size = static_cast<std::int64_t>(region.element_bytes);
  return bytes >= 0 ? bytes / size : -((-bytes + size - 1) / size);
}

// "tile[35]", or "sum" where that is a single number.
std::string element_name(const Finding& finding, const Region& region) {
  if (finding.element == 0 && region.bytes == region.element_bytes) {
    return finding.memory;
  }
  return finding.memory + "[" + std::to_string(finding.element) + "]";
}

// "kernel: thread 3 (block 0) reads tile[35] at kernels.cu:41"
std::string who_does_what(const Finding& finding, const std::string& what) {
  const Actor& actor = finding.actors.front();
  return finding.kernel + ": " + name_of(actor) + " " + does(actor) + " " +
         what + " at " + name_of(actor.at);
}

std::string race_text(const Finding& finding, const Region& region) {
  const Actor& now = finding.actors[0];
  const Actor& before = finding.actors[1];
  const bool one_block = now.block == before.block;
  const std::string other =
      one_block ? "thread " + std::to_string(before.thread) : name_of(before);
  const std::string did = before.atomic ? " changed it atomically"
                          : before.writes ? " wrote it" : " read it";
  return who_does_what(finding, element_name(finding, region)) + " while " +
         other + did + " at " + name_of(before.at) +
         (one_block ? ", and no barrier stands between"
                    : ", and nothing orders the blocks of a launch");
}

std::string range_text(const Finding& finding, const Region& region,
                       std::uintptr_t at, std::size_t bytes) {
  const std::uintptr_t end = region.begin + region.bytes;
  const std::string elements =
      std::to_string(region.bytes / region.element_bytes) + " elements";
  const std::string start =
      who_does_what(finding, element_name(finding, region));
  if (difference(at, region.begin) < 0) {
    return start + ", " + std::to_string(difference(region.begin, at)) +
           " bytes before the beginning of its " + elements;
  }
  return start + ", and so reaches " +
         std::to_string(difference(at + bytes, end)) +
         " bytes past the end of its " + elements;
}

bool watched(const Region& region) {
  return region.kind == MemoryKind::global ||
         region.kind == MemoryKind::shared;
}

}  // namespace

AccessWatch& access_watch() {
  static AccessWatch one;
  return one;
}

void AccessWatch::add_buffer(const void* begin, std::size_t bytes,
                             std::string name, std::size_t element_bytes) {
  memory_.add(number_of(begin), bytes, MemoryKind::global, std::move(name),
              element_bytes).guarded = true;
  sites_.forget_regions();
}

void AccessWatch::remove_buffer(const void* begin) {
  memory_.remove(number_of(begin));
  sites_.forget_regions();
}

void AccessWatch::host_wrote(const void* begin, std::size_t bytes) {
  Region* const region = memory_.find(number_of(begin));
  if (region == nullptr || !region->shadow) return;
  region->shadow->written_by_host(number_of(begin), bytes);
}

// Not before the first launch: it costs some milliseconds.
void AccessWatch::add_program_memory() {
  if (program_known_) return;
  program_known_ = true;
  variables_ = variable_memory();
  for (const Stretch& one : constant_memory()) {
    memory_.add(one.begin, one.bytes, MemoryKind::silent, "", 1);
  }
  for (const SharedVariable& one : shared_variables()) {
    memory_.add(one.begin, one.bytes, MemoryKind::shared, one.name,
                one.element_bytes);
  }
}

void AccessWatch::launch_begins(std::string_view kernel, std::int64_t blocks,
                                int threads_per_block) {
  add_program_memory();
  if (order_.nearly_worn_out()) {
    order_.restart();
    for (auto& [begin, region] : memory_) {
      if (region.shadow) region.shadow->forget_all();
    }
  }
  order_.launch_begins(threads_per_block);
  requests_.launch_begins(threads_per_block);
  findings_.launch_begins();
  for (auto& [begin, region] : memory_) region.touched = false;
  for (Site& site : sites_) {
    const AccessKind kind = site.counts.kind;
    site.counts = SiteCounts();
    site.counts.kind = kind;
  }
  counts_ = LaunchCounts();
  counts_.kernel = kernel;
  counts_.blocks = blocks;
  counts_.threads_per_block = threads_per_block;
}

void AccessWatch::block_begins(std::int64_t block, const void* dynamic_shared,
                               std::size_t dynamic_shared_bytes) {
  order_.block_begins(block);
  const std::uintptr_t begin = number_of(dynamic_shared);
  if (begin == dynamic_shared_ &&
      dynamic_shared_bytes == dynamic_shared_bytes_) {
    return;
  }
  remove_dynamic_shared();
  if (dynamic_shared_bytes == 0) return;
  memory_.add(begin, dynamic_shared_bytes, MemoryKind::shared,
              "dynamic_shared", 4).guarded = true;
  dynamic_shared_ = begin;
  dynamic_shared_bytes_ = dynamic_shared_bytes;
}

void AccessWatch::remove_dynamic_shared() {
  if (dynamic_shared_bytes_ == 0) return;
  memory_.remove(dynamic_shared_);
  sites_.forget_regions();
  dynamic_shared_ = 0;
  dynamic_shared_bytes_ = 0;
}

void AccessWatch::thread_runs(int thread, const void* stack,
                              std::size_t stack_bytes) {
  running_ = this;
  thread_ = thread;
  tick_ = order_.now(thread);
  stack_ = number_of(stack);
  stack_bytes_ = stack_bytes;
}

void AccessWatch::block_barrier_passed() {
  running_ = nullptr;
  ++counts_.barriers;
  end_interval();
  order_.block_barrier();
}

void AccessWatch::warp_barrier_passed(int warp, std::uint32_t lanes) {
  running_ = nullptr;
  order_.warp_barrier(warp, lanes);
  if (order_.all_lanes(warp, lanes)) requests_.warp_is_together(warp);
}

void AccessWatch::block_ends() {
  running_ = nullptr;
  end_interval();
}

void AccessWatch::end_interval() {
  requests_.block_is_together();
  tell_unwritten(MemoryKind::shared);
}

LaunchCounts AccessWatch::launch_ends() {
  tell_unwritten(MemoryKind::global);
  std::map<std::pair<std::string, int>, LineCounts> lines;
  for (Site& site : sites_) {
    if (site.counts.lanes.empty()) continue;  // not in this launch
    const SourceLine at = sites_.line_of(site.number);
    LineCounts& line = lines[{at.file, at.line}];
    line.at = at;
    line.global += site.counts.global;
    line.shared += site.counts.shared;
    add_sample(line, site.counts.global_sample, site.counts.kind);
    add_sample(line, site.counts.shared_sample, site.counts.kind);
    site.counts.lanes = {};
  }
  for (auto& [at, line] : lines) {
    counts_.global += line.global;
    counts_.shared += line.shared;
    counts_.lines.push_back(std::move(line));
  }
  counts_.dynamic_shared_bytes =
      static_cast<std::int64_t>(dynamic_shared_bytes_);
  for (const auto& [begin, region] : memory_) {
    const bool is_static = region.kind == MemoryKind::shared &&
                           region.begin != dynamic_shared_;
    if (!is_static || !region.touched) continue;
    counts_.static_shared_bytes += static_cast<std::int64_t>(region.bytes);
  }
  remove_dynamic_shared();
  counts_.requests_exact = !requests_.cut_short();
  return std::move(counts_);
}

void AccessWatch::add_sample(LineCounts& line, const WarpRequest& request,
                             AccessKind kind) {
  if (request.size() == 0) return;
  const PackedAccess one = request[0].access;
  const Region* const region = memory_.find(one.at());
  if (region == nullptr) return;
  Sample sample;
  sample.memory = region->name;
  sample.shared = one.shared();
  sample.writes = kind != AccessKind::read;
  sample.bytes = one.bytes();
  sample.offsets.fill(-1);
  for (const auto& [lane, access] : request) {
    if (!region->contains(access.at())) continue;
    sample.offsets[static_cast<std::size_t>(lane)] =
        difference(access.at(), region->begin);
  }
  line.samples.push_back(std::move(sample));
}

std::vector<Finding> AccessWatch::take_findings() { return findings_.take(); }

void AccessWatch::thread_callbacks(Callback stop, Callback turn) {
  stop_ = stop;
  turn_ = turn;
}

void AccessWatch::hooked(const void* address, std::size_t bytes,
                         AccessKind kind, const void* code) {
  if (running_ != this || on_own_stack(number_of(address))) return;
  if (until_turn_ > 0 && --until_turn_ == 0) {
    call_that_may_pause(turn_, nullptr);
  }
  if (access(address, bytes, kind, code) == Verdict::stop) {
    call_that_may_pause(stop_, nullptr);
  }
}

// The GPU's compiler would copy it so.
void AccessWatch::hooked_range(const void* address, std::size_t bytes,
                               AccessKind kind, const void* code) {
  if (running_ != this || on_own_stack(number_of(address))) return;
  std::size_t piece = 4;
  while (((number_of(address) | bytes) & (piece - 1)) != 0) piece /= 2;
  const auto* const begin = static_cast<const std::byte*>(address);
  for (std::size_t done = 0; done < bytes; done += piece) {
    hooked(begin + done, piece, kind, code);
  }
}

Region* AccessWatch::region_of(std::uintptr_t at, Site& site) {
  if (site.region != nullptr && site.region->contains(at)) return site.region;
  Region* const region = memory_.find(at);
  if (region != nullptr) site.region = region;
  return region;
}

Verdict AccessWatch::access(const void* address, std::size_t bytes,
                            AccessKind kind, const void* code) {
  const std::uintptr_t at = number_of(address);
  if (running_ != this || on_own_stack(at)) return Verdict::go_on;
  running_ = nullptr;  // what follows may itself have hooks
  const Verdict verdict = judge(at, bytes, kind, code);
  running_ = this;
  return verdict;
}

Verdict AccessWatch::judge(std::uintptr_t at, std::size_t bytes,
                           AccessKind kind, const void* code) {
  Site& site = sites_.at(code, kind);
  const Stamp me{tick_, static_cast<std::uint16_t>(thread_), site.number};
  Region* const region = region_of(at, site);
  if (region == nullptr || bytes > region->begin + region->bytes - at) {
    return out_of_range(at, bytes, kind, me);
  }
  if (!watched(*region)) {
    if (kind == AccessKind::read) return Verdict::go_on;
    return out_of_range(at, bytes, kind, me);
  }
  if ((at & (bytes - 1)) != 0) {
    misaligned(*region, at, bytes, kind, me);
    return Verdict::stop;
  }
  region->touched = true;
  requests_.record(site.counts, thread_,
                   {at, bytes, region->kind == MemoryKind::shared});
  touch_words(*region, at, bytes, kind, me);
  return Verdict::go_on;
}

void AccessWatch::touch_words(Region& region, std::uintptr_t at,
                              std::size_t bytes, AccessKind kind, Stamp me) {
  ShadowMemory& shadow = *region.shadow;
  shadow.fit(at, bytes);
  for (std::uintptr_t word = at; word < at + bytes;
       word += shadow.word_bytes()) {
    Cell& cell = shadow.cell(word);
    const auto tell = [&](Stamp other, bool wrote, bool atomic) {
      race(region, word, me, kind, other, wrote, atomic);
    };
    if (kind != AccessKind::write && !shadow.initialised(cell, order_)) {
      read_unwritten(region, word, me, kind == AccessKind::atomic);
    }
    switch (kind) {
      case AccessKind::read: shadow.read(cell, me, order_, tell); break;
      case AccessKind::write: shadow.write(cell, me, order_, tell); break;
      case AccessKind::atomic: shadow.atomic(cell, me, order_, tell); break;
    }
  }
}

void AccessWatch::read_unwritten(Region& region, std::uintptr_t word, Stamp me,
                                 bool atomic) {
  if (unwritten_.size() < most_unwritten) {
    unwritten_.try_emplace(word, Unwritten{&region, me, atomic});
  }
}

// Those that no race explains.
void AccessWatch::tell_unwritten(MemoryKind kind) {
  if (unwritten_.empty()) return;
  std::vector<std::pair<std::uintptr_t, Unwritten>> left;
  for (auto one = unwritten_.begin(); one != unwritten_.end();) {
    const bool now = one->second.region->kind == kind;
    if (now) left.push_back(*one);
    one = now ? unwritten_.erase(one) : std::next(one);
  }
  std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  for (const auto& [word, unwritten] : left) {
    const auto& [region, reader, atomic] = unwritten;
    const FindingList::Key key{FindingKind::uninitialised_read, region,
                               reader.site, 0};
    if (findings_.count_again(key)) continue;
    Finding found = finding(FindingKind::uninitialised_read, *region, word);
    found.actors = {actor(reader, atomic, atomic)};
    found.text = who_does_what(found, element_name(found, *region)) +
                 (kind == MemoryKind::shared
                      ? ", which no thread of the block has written"
                      : ", which nobody has written");
    findings_.add(key, std::move(found));
  }
}

void AccessWatch::race(const Region& region, std::uintptr_t word, Stamp me,
                       AccessKind kind, Stamp other, bool other_wrote,
                       bool other_atomic) {
  if (!unwritten_.empty()) unwritten_.erase(word);
  const FindingKind race = region.kind == MemoryKind::shared
                               ? FindingKind::shared_race
                               : FindingKind::global_race;
  const auto [low, high] = std::minmax(me.site, other.site);
  const FindingList::Key key{race, &region, low, high};
  if (findings_.count_again(key)) return;
  Finding found = finding(race, region, word);
  found.actors = {actor(me, kind != AccessKind::read,
                        kind == AccessKind::atomic),
                  actor(other, other_wrote, other_atomic)};
  found.text = race_text(found, region);
  findings_.add(key, std::move(found));
}

void AccessWatch::misaligned(const Region& region, std::uintptr_t at,
                             std::size_t bytes, AccessKind kind, Stamp me) {
  const FindingList::Key key{FindingKind::misaligned, &region, me.site, 0};
  if (findings_.count_again(key)) return;
  Finding found = finding(FindingKind::misaligned, region, at);
  found.actors = {actor(me, kind != AccessKind::read,
                        kind == AccessKind::atomic)};
  const std::string width = std::to_string(bytes);
  found.text = who_does_what(found, width + " bytes beginning with " +
                                        element_name(found, region)) +
               ", which is " + std::to_string(at & (bytes - 1)) +
               " bytes past a multiple of " + width;
  findings_.add(key, std::move(found));
}

// Guard zones absorb what goes astray a little. A read from among the
// program's variables harms nobody either.
Verdict AccessWatch::out_of_range(std::uintptr_t at, std::size_t bytes,
                                  AccessKind kind, Stamp me) {
  const Region* region = memory_.find(at);
  if (region == nullptr) region = memory_.near(at, guard_bytes);
  if (region != nullptr && !watched(*region)) region = nullptr;
  const FindingList::Key key{FindingKind::out_of_range, region, me.site, 0};
  if (!findings_.count_again(key)) {
    static const Region nowhere;
    Finding found = finding(FindingKind::out_of_range,
                            region == nullptr ? nowhere : *region, at);
    found.actors = {actor(me, kind != AccessKind::read,
                          kind == AccessKind::atomic)};
    found.text =
        region != nullptr ? range_text(found, *region, at, bytes)
        : at < first_page
            ? who_does_what(found, "through a null pointer")
            : who_does_what(found,
                            "memory that is neither a buffer nor shared");
    findings_.add(key, std::move(found));
  }
  if (region == nullptr) return Verdict::stop;
  const bool harmless_read =
      kind == AccessKind::read &&
      std::any_of(variables_.begin(), variables_.end(), [&](const Stretch& v) {
        return at >= v.begin && at + bytes <= v.begin + v.bytes;
      });
  return region->guarded || harmless_read ? Verdict::go_on : Verdict::stop;
}

Actor AccessWatch::actor(Stamp stamp, bool writes, bool atomic) {
  return {order_.block_at(stamp.tick), stamp.thread, writes, atomic,
          sites_.line_of(stamp.site)};
}

Finding AccessWatch::finding(FindingKind kind, const Region& region,
                             std::uintptr_t at) {
  Finding found;
  found.kind = kind;
  found.kernel = counts_.kernel;
  found.memory = region.name;
  if (watched(region)) found.element = element_at(region, at);
  return found;
}

}  // namespace device
