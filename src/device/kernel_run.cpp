#include "device/kernel_run.hpp"

#include "device/access_watch.hpp"
#include "device/may_pause.hpp"
#include "device/stack_overflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace device {

namespace {

// Hooks and CUDA's words have no argument that could say which launch they
// belong to.
KernelRun* run_now = nullptr;

constexpr std::size_t shared_alignment = 256;

}  // namespace

KernelRun& KernelRun::now() {
  if (run_now == nullptr) {
    throw std::logic_error(
        "a word of CUDA's device code was used outside of a launch");
  }
  return *run_now;
}

KernelRun::KernelRun(const KernelName& name, const LaunchShape& shape,
                     const KernelCall& call, std::uint64_t seed, bool watch,
                     const FiberStacks& stacks)
    : name_(name),
      shape_(shape),
      call_(call),
      seed_(seed),
      watch_(watch),
      stacks_(stacks),
      threads_(static_cast<std::size_t>(shape.block.total())),
      shared_memory_(shape.dynamic_bytes + 2 * guard_bytes + shared_alignment,
                     std::byte{0xff}),
      ready_(seed),
      atomics_to_turn_(ready_.turn_length()) {
  const auto begin =
      reinterpret_cast<std::uintptr_t>(shared_memory_.data()) + guard_bytes;
  const std::size_t past = begin % shared_alignment;
  dynamic_shared_ = shared_memory_.data() + guard_bytes +
                    (past == 0 ? 0 : shared_alignment - past);
  const auto width = static_cast<std::uint32_t>(shape.block.x);
  const auto height = static_cast<std::uint32_t>(shape.block.y);
  std::uint32_t number = 0;
  for (Thread& thread : threads_) {
    thread.run = this;
    thread.number = static_cast<int>(number);
    thread.x = number % width;
    thread.y = number / width % height;
    thread.z = number / width / height;
    ++number;
  }
  run_now = this;
}

KernelRun::~KernelRun() { run_now = nullptr; }

void KernelRun::run() {
  access_watch().thread_callbacks(
      [](const void*) { now().stop_thread(); },
      [](const void*) { now().take_turns(); });
  const SourceLine at = source_line_of({name_.file, name_.line});
  const StackOverflowLine line(
      stacks_,
      fmt::format("{} ({}): a thread needs more stack than the {} bytes it has",
                  name_.name, to_text(at), stacks_.stack(0).bytes));
  const BlockOrder order(shape_.grid.total(), seed_);
  for (std::int64_t turn = 0; turn < shape_.grid.total(); ++turn) {
    if (!run_block(order.at(turn))) break;
  }
  if (thrown_) std::rethrow_exception(thrown_);
}

bool KernelRun::run_block(std::int64_t block) {
  begin_block(block);
  if (watch_) {
    access_watch().block_begins(block, dynamic_shared_, shape_.dynamic_bytes);
  }
  run_threads();
  if (watch_) access_watch().block_ends();
  return !over_;
}

void KernelRun::begin_block(std::int64_t block) {
  block_ = block;
  at_barrier_ = 0;
  yes_ = 0;
  places_differ_ = false;
  std::memset(dynamic_shared_, 0xff, shape_.dynamic_bytes);
  ready_.clear();
  warps_.clear();
  for (Thread& thread : threads_) {
    thread.state = State::ready;
    thread.fiber.start(stacks_.stack(thread.number), thread_body, &thread);
    ready_.add(thread.number);
    if (thread.lane() == 0) {
      const auto left = static_cast<int>(threads_.size()) - thread.number;
      warps_.emplace_back(std::min(left, warp_lanes));
    }
  }
}

// [run threads]
// Until nobody can go on.
void KernelRun::run_threads() {
  while (!ready_.empty() && !over_) {
    running_ = &threads_[static_cast<std::size_t>(ready_.take())];
    resume(*running_);
  }
  running_ = nullptr;
  if (!over_) find_who_is_stuck();
}
// [run threads]

void KernelRun::resume(Thread& thread) {
  try {
    thread.fiber.resume();
  } catch (...) {
    hush();
    thrown_ = std::current_exception();
    over_ = true;
  }
}

void KernelRun::thread_body(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  KernelRun& run = *thread.run;
  run.announce();
  call_that_may_pause(run.call_.call, run.call_.arguments);
  run.hush();
  run.thread_ends(thread);
}

void KernelRun::thread_ends(Thread& thread) {
  thread.state = State::ended;
  Warp& warp = warps_[static_cast<std::size_t>(thread.warp())];
  for (const LaneGroup& group : warp.end(thread.lane())) {
    release_lanes(thread.warp(), group);
  }
}

// The watch hears of a thread last of all before its own code goes on, and of
// its pause first: nothing of ours is taken for an access of the kernel.
void KernelRun::announce() {
  if (!watch_) return;
  const StackMemory stack = stacks_.stack(running_->number);
  access_watch().turn_after(ready_.turn_length());
  access_watch().thread_runs(running_->number, stack.lowest, stack.bytes);
}

void KernelRun::hush() {
  if (watch_) access_watch().no_thread_runs();
}

void KernelRun::pause(State state) noexcept {
  running_->state = state;
  running_->fiber.pause();
}

void KernelRun::take_turns() {
  hush();
  ready_.add(running_->number);
  pause(State::ready);
  announce();
}

// The hooks count accesses alone: a thread may wait in a loop of atomics.
void KernelRun::atomic_comes() {
  if (--atomics_to_turn_ > 0) return;
  hush();
  atomics_to_turn_ = ready_.turn_length();
  announce();
  take_turns();
}

void KernelRun::stop_thread() {
  hush();
  for (;;) pause(State::stopped);
}

// [block barrier]
Votes KernelRun::block_barrier(const Place& place, bool predicate) {
  hush();
  running_->place = place;
  if (at_barrier_++ == 0) barrier_ = place;
  places_differ_ = places_differ_ || !same_place(barrier_, place);
  yes_ += predicate ? 1 : 0;
  running_->state = State::at_block_barrier;
  if (at_barrier_ == static_cast<int>(threads_.size()) && !places_differ_) {
    release_block();
  }
  pause(running_->state);
  announce();
  return votes_;
}

void KernelRun::release_block() {
  votes_ = {yes_, at_barrier_};
  at_barrier_ = 0;
  yes_ = 0;
  ++barriers_;
  if (watch_) access_watch().block_barrier_passed();
  for (Thread& thread : threads_) {
    thread.state = State::ready;
    ready_.add(thread.number);
  }
}
// [block barrier]

std::uint64_t KernelRun::warp_operation(const LaneCall& call) {
  hush();
  Thread& thread = *running_;
  const int lane = thread.lane();
  thread.place = call.place;
  if ((call.mask >> lane & 1u) == 0) {
    note_not_in_mask(call);
    stop_thread();
  }
  Warp& warp = warps_[static_cast<std::size_t>(thread.warp())];
  thread.state = State::at_warp;
  if (const auto group = warp.arrive(lane, call)) {
    release_lanes(thread.warp(), *group);
  }
  pause(thread.state);
  const std::uint64_t result = warp.result(lane);
  announce();
  return result;
}

void KernelRun::note_not_in_mask(const LaneCall& call) {
  Finding found = finding(FindingKind::warp_barrier);
  found.actors = {actor(*running_)};
  found.text = fmt::format(
      "{}: thread {} (block {}) is lane {} and not in the mask {:#010x} that "
      "it gives at {}",
      name_.name, running_->number, block_, running_->lane(), call.mask,
      to_text(source_line_of(call.place)));
  findings_.push_back(std::move(found));
  over_ = true;
}

void KernelRun::refuse_width(int width, const Place& place) {
  hush();
  running_->place = place;
  note_width(width, place);
  stop_thread();
}

void KernelRun::note_width(int width, const Place& place) {
  Finding found = finding(FindingKind::warp_barrier);
  found.actors = {actor(*running_)};
  found.text = fmt::format(
      "{}: thread {} (block {}) shuffles at {} in parts of {} lanes, and a "
      "part has 1, 2, 4, 8, 16 or 32",
      name_.name, running_->number, block_, to_text(source_line_of(place)),
      width);
  findings_.push_back(std::move(found));
  over_ = true;
}

void KernelRun::release_lanes(int warp, const LaneGroup& group) {
  if (group.call.operation == WarpOperation::barrier && watch_) {
    access_watch().warp_barrier_passed(warp, group.arrived);
  }
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((group.arrived >> lane & 1u) == 0) continue;
    const int number = warp * warp_lanes + lane;
    threads_[static_cast<std::size_t>(number)].state = State::ready;
    ready_.add(number);
  }
  check_exchange(warp, group);
}

// A lane that takes a value from one that gave none gets an undefined one.
void KernelRun::check_exchange(int warp, const LaneGroup& group) {
  const auto missing = warps_[static_cast<std::size_t>(warp)].missing();
  if (!missing || over_) return;
  const auto [taker, giver] = *missing;
  const bool named = (group.call.mask >> giver & 1u) != 0;
  const auto number = static_cast<std::size_t>(warp * warp_lanes + taker);
  Finding found = finding(FindingKind::warp_barrier);
  found.actors = {actor(threads_[number])};
  found.text = fmt::format(
      "{}: thread {} (block {}) takes the value of lane {} at {}, which {}",
      name_.name, number, block_, giver,
      to_text(source_line_of(group.call.place)),
      named ? "has ended or does not exist"
            : fmt::format("its mask {:#010x} does not name", group.call.mask));
  findings_.push_back(std::move(found));
  over_ = true;
}

bool KernelRun::anyone_stopped() const {
  return std::any_of(threads_.begin(), threads_.end(), [](const Thread& t) {
    return t.state == State::stopped;
  });
}

// Nobody can go on. Either all have ended, or some wait for ever; for one that
// was stopped by a wrong access, which has been told of already.
void KernelRun::find_who_is_stuck() {
  const Thread* at_warp = nullptr;
  const Thread* at_barrier = nullptr;
  const Thread* elsewhere = nullptr;
  const Thread* ended = nullptr;
  for (const Thread& thread : threads_) {
    if (thread.state == State::at_warp && at_warp == nullptr) at_warp = &thread;
    if (thread.state == State::ended && ended == nullptr) ended = &thread;
    if (thread.state != State::at_block_barrier) continue;
    if (at_barrier == nullptr) at_barrier = &thread;
    if (elsewhere == nullptr && !same_place(thread.place, at_barrier->place)) {
      elsewhere = &thread;
    }
  }
  over_ = anyone_stopped() || at_warp != nullptr || at_barrier != nullptr;
  if (!over_ || anyone_stopped()) return;
  if (at_warp != nullptr) {
    report_warp(*at_warp);
  } else if (elsewhere != nullptr) {
    Finding found = finding(FindingKind::different_barriers);
    found.actors = {actor(*elsewhere), actor(*at_barrier)};
    found.text = fmt::format(
        "{}: thread {} (block {}) waits at the barrier of {} while thread {} "
        "waits at that of {}",
        name_.name, elsewhere->number, block_, to_text(found.actors[0].at),
        at_barrier->number, to_text(found.actors[1].at));
    findings_.push_back(std::move(found));
  } else {
    report_barrier_not_reached(*at_barrier, *ended);
  }
}

void KernelRun::report_barrier_not_reached(const Thread& waiting,
                                           const Thread& ended) {
  Finding found = finding(FindingKind::barrier_not_reached);
  found.actors = {actor(waiting), actor(ended)};
  found.actors[1].at = {};
  const auto gone = std::count_if(
      threads_.begin(), threads_.end(),
      [](const Thread& t) { return t.state == State::ended; });
  found.text = fmt::format(
      "{}: thread {} (block {}) waits at the barrier of {}, which thread {} "
      "and {} more of {} never reach: they have ended",
      name_.name, waiting.number, block_, to_text(found.actors[0].at),
      ended.number, gone - 1, threads_.size());
  findings_.push_back(std::move(found));
}

void KernelRun::report_warp(const Thread& waiting) {
  const Warp& warp = warps_[static_cast<std::size_t>(waiting.warp())];
  const auto waits = [&](const LaneGroup& group) {
    return (group.arrived >> waiting.lane() & 1u) != 0;
  };
  const LaneGroup& group =
      *std::find_if(warp.waiting().begin(), warp.waiting().end(), waits);
  const std::uint32_t absent =
      group.call.mask & ~group.arrived & ~warp.ended();
  int lane = 0;
  while ((absent >> lane & 1u) == 0) ++lane;
  const Thread& other = threads_[static_cast<std::size_t>(
      waiting.warp() * warp_lanes + lane)];
  Finding found = finding(FindingKind::warp_barrier);
  found.actors = {actor(waiting), actor(other)};
  found.text = fmt::format(
      "{}: thread {} (block {}) waits at {} for the lanes of its mask "
      "{:#010x}; lane {} of them waits at {} and does not come",
      name_.name, waiting.number, block_, to_text(found.actors[0].at),
      group.call.mask, lane, to_text(found.actors[1].at));
  findings_.push_back(std::move(found));
}

Finding KernelRun::finding(FindingKind kind) const {
  Finding found;
  found.kind = kind;
  found.kernel = name_.name;
  return found;
}

Actor KernelRun::actor(const Thread& thread) const {
  return {.block = block_,
          .thread = thread.number,
          .at = source_line_of(thread.place)};
}

}  // namespace device
