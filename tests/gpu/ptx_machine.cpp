#include "ptx_machine.hpp"

#include "ptx_arithmetic.hpp"

#include "device/request_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>

namespace ptx {
namespace {

using device::AccessKind;

constexpr int lanes = device::lanes_per_warp;
constexpr std::int64_t most_steps = std::int64_t{1} << 30;  // of a launch

enum class State { runs, at_barrier, with_warp, done };

struct Thread {
  int number = 0;  // in the block
  State state = State::runs;
  std::size_t next = 0;  // instruction
  Bits* registers = nullptr;
  unsigned char* local = nullptr;
};

struct Address {
  Space space;
  std::uint64_t at;
  std::size_t bytes;
};

class Machine {
 public:
  Machine(const Launch& launch, const Module& module, CardMemory& memory)
      : launch_(launch),
        kernel_(*launch.kernel),
        module_(module),
        memory_(memory),
        block_threads_(launch.block[0] * launch.block[1] * launch.block[2]),
        sites_(kernel_.code.size()),
        random_(launch.seed) {}

  Asked run() {
    counts_.launch_begins(static_cast<int>(block_threads_));
    for (block_[2] = 0; block_[2] < launch_.grid[2]; ++block_[2]) {
      for (block_[1] = 0; block_[1] < launch_.grid[1]; ++block_[1]) {
        for (block_[0] = 0; block_[0] < launch_.grid[0]; ++block_[0]) {
          run_block();
        }
      }
    }
    asked_.kernel = kernel_.name;
    for (const device::SiteCounts& site : sites_) {
      asked_.global += site.global;
      asked_.shared += site.shared;
    }
    return asked_;
  }

 private:
  // Memory that nobody wrote is not a number.
  void begin_block() {
    shared_.assign(rounded_up(kernel_.shared_bytes, dynamic_alignment) +
                       launch_.dynamic_bytes,
                   0xff);
    local_.assign(block_threads_ * kernel_.local_bytes, 0xff);
    registers_.assign(block_threads_ * kernel_.registers, 0);
    threads_.assign(block_threads_, {});
    order_.resize(block_threads_);
    for (std::size_t n = 0; n < block_threads_; ++n) {
      threads_[n].number = static_cast<int>(n);
      threads_[n].registers = registers_.data() + n * kernel_.registers;
      threads_[n].local = local_.data() + n * kernel_.local_bytes;
      order_[n] = n;
    }
  }

  void run_block() {
    begin_block();
    for (;;) {
      if (launch_.seed != 0) {
        std::shuffle(order_.begin(), order_.end(), random_);
      }
      bool any = false;
      for (const std::size_t n : order_) {
        if (threads_[n].state != State::runs) continue;
        run_thread(threads_[n]);
        any = true;
      }
      for (std::size_t first = 0; first < block_threads_; first += lanes) {
        any |= pass_with_warp(first);
      }
      if (any) continue;
      if (!pass_barrier()) break;
    }
    counts_.block_is_together();
  }

  // Until it waits or is done.
  void run_thread(Thread& t) {
    for (;;) {
      const Instruction& i = kernel_.code[t.next];
      if (++steps_ > most_steps)
        fail(t, i, "the kernel does not come to an end");
      if (i.guard >= 0 && (t.registers[i.guard] != 0) == i.unless) {
        ++t.next;
        continue;
      }
      switch (i.op) {
        case Op::bra: t.next = static_cast<std::size_t>(i.target); continue;
        case Op::ret: t.state = State::done; return;
        case Op::bar:
        case Op::bar_red: t.state = State::at_barrier; return;
        case Op::bar_warp:
        case Op::shfl:
        case Op::vote: t.state = State::with_warp; return;
        default: execute(t, i);
      }
      ++t.next;
    }
  }

  void execute(Thread& t, const Instruction& i) {
    switch (i.op) {
      case Op::ld: load(t, i); break;
      case Op::st: store(t, i); break;
      case Op::atom: change(t, i); break;
      case Op::mov: move(t, i); break;
      case Op::cvta: set(t, i, value(t, i, 1)); break;
      case Op::cvt: set(t, i, converted(i, value(t, i, 1))); break;
      case Op::setp:
        set(t, i, compares(i.way, i.type, value(t, i, 1), value(t, i, 2)));
        break;
      case Op::selp:
        set(t, i, cut(i.type, value(t, i, value(t, i, 3) != 0 ? 1 : 2)));
        break;
      case Op::fma:
      case Op::mad:
        set(t, i,
            product_and_sum(i, value(t, i, 1), value(t, i, 2), value(t, i, 3)));
        break;
      case Op::neg:
      case Op::abs:
      case Op::not_:
      case Op::rcp:
      case Op::ex2:
      case Op::lg2:
      case Op::sqrt:
      case Op::rsqrt: set(t, i, one_number(i, value(t, i, 1))); break;
      case Op::mul:
        if (i.way == Way::wide) {
          set(t, i, product_and_sum(i, value(t, i, 1), value(t, i, 2), 0));
          break;
        }
        [[fallthrough]];
      default:
        set(t, i,
            two_numbers(i.op, i.way, i.type, value(t, i, 1), value(t, i, 2)));
    }
  }

  Bits value(const Thread& t, const Instruction& i, std::size_t n) const {
    return value(t, i.operands[n]);
  }
  Bits value(const Thread& t, const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::reg: {
        const Bits bits = t.registers[operand.index];
        return operand.negated ? bits == 0 : bits;
      }
      case Operand::Kind::special: return special(t, operand.index);
      default: return operand.number;
    }
  }
  Bits special(const Thread& t, int index) const {
    const auto n = static_cast<std::uint32_t>(t.number);
    const std::size_t axis = static_cast<std::size_t>(index) % 3;
    switch (index / 3) {
      case 0:
        return axis == 0   ? n % launch_.block[0]
               : axis == 1 ? n / launch_.block[0] % launch_.block[1]
                           : n / launch_.block[0] / launch_.block[1];
      case 1: return launch_.block[axis];
      case 2: return block_[axis];
      case 3: return launch_.grid[axis];
      default: return n % lanes;
    }
  }
  void set(Thread& t, const Instruction& i, Bits bits, std::size_t n = 0) {
    const Operand& to = i.operands[n];
    if (to.kind == Operand::Kind::reg) t.registers[to.index] = bits;
  }

  // Parts to a whole, a whole to parts, or one to one.
  void move(Thread& t, const Instruction& i) {
    const std::size_t parts =
        std::max(i.results, i.operands.size() - i.results);
    const std::size_t bits = 8 * bytes_of(i.type) / parts;
    const Bits of_part = bits == 64 ? ~Bits{0} : (Bits{1} << bits) - 1;
    if (i.type == Type::pred) {
      set(t, i, value(t, i, 1) != 0);
    } else if (i.results > 1) {
      const Bits whole = value(t, i, parts);
      for (std::size_t n = 0; n < parts; ++n) {
        set(t, i, whole >> n * bits & of_part, n);
      }
    } else {
      Bits whole = 0;
      for (std::size_t n = 0; n < parts; ++n) {
        whole |= (value(t, i, 1 + n) & of_part) << n * bits;
      }
      set(t, i, whole);
    }
  }

  Address address(const Thread& t, const Instruction& i, std::size_t n,
                  std::size_t numbers) const {
    const Operand& operand = i.operands[n];
    return {i.space,
            value(t, operand) + static_cast<std::uint64_t>(operand.offset),
            bytes_of(i.type) * numbers};
  }

  unsigned char* place(Thread& t, const Instruction& i, const Address& a,
                       AccessKind kind) {
    if (a.at % a.bytes != 0) {
      fail(t, i,
           fmt::format("{} bytes at an address that is no multiple of it",
                       a.bytes));
    }
    switch (a.space) {
      case Space::global: {
        if (!holds(a))
          fail(t, i, fmt::format("{} bytes outside of all arrays", a.bytes));
        count(t, i, a, kind);
        return reinterpret_cast<unsigned char*>(a.at);
      }
      case Space::shared:
        if (!fits(a, shared_.size())) {
          fail(t, i,
               fmt::format("{} bytes at byte {} of {} of shared memory",
                           a.bytes, a.at, shared_.size()));
        }
        count(t, i, a, kind);
        return shared_.data() + a.at;
      case Space::local:
        if (!fits(a, kernel_.local_bytes)) {
          fail(t, i, "outside of a thread's own array");
        }
        return t.local + a.at;
      default: fail(t, i, "a kind of memory that is not known");
    }
  }
  static bool fits(const Address& a, std::size_t size) {
    return a.at <= size && a.bytes <= size - a.at;
  }
  bool holds(const Address& a) const {
    if (memory_.holds(a.at, a.bytes)) return true;
    return std::any_of(
        module_.globals.begin(), module_.globals.end(), [&](const auto& one) {
          const auto begin =
              reinterpret_cast<std::uintptr_t>(one.second.data());
          return a.at >= begin &&
                 fits({a.space, a.at - begin, a.bytes}, one.second.size());
        });
  }
  void count(const Thread& t, const Instruction& i, const Address& a,
             AccessKind kind) {
    device::SiteCounts& site =
        sites_[static_cast<std::size_t>(&i - kernel_.code.data())];
    site.kind = kind;
    counts_.record(
        site, t.number,
        device::PackedAccess(a.at, a.bytes, a.space == Space::shared));
  }

  static Bits bits_at(const unsigned char* from, std::size_t bytes) {
    Bits bits = 0;
    std::memcpy(&bits, from, bytes);
    return bits;
  }

  void load(Thread& t, const Instruction& i) {
    const Address a = address(t, i, i.results, i.results);
    const unsigned char* const from = i.space == Space::param
                                          ? launch_.parameters.data() + a.at
                                          : place(t, i, a, AccessKind::read);
    const std::size_t bytes = bytes_of(i.type);
    for (std::size_t n = 0; n < i.results; ++n) {
      set(t, i, widened(i.type, bits_at(from + n * bytes, bytes)), n);
    }
  }

  void store(Thread& t, const Instruction& i) {
    const std::size_t numbers = i.operands.size() - 1;
    unsigned char* const to =
        place(t, i, address(t, i, 0, numbers), AccessKind::write);
    const std::size_t bytes = bytes_of(i.type);
    for (std::size_t n = 0; n < numbers; ++n) {
      const Bits bits = value(t, i, 1 + n);
      std::memcpy(to + n * bytes, &bits, bytes);
    }
  }

  void change(Thread& t, const Instruction& i) {
    unsigned char* const at =
        place(t, i, address(t, i, 1, 1), AccessKind::atomic);
    const Bits before = bits_at(at, bytes_of(i.type));
    const Bits after = changed(t, i, before);
    std::memcpy(at, &after, bytes_of(i.type));
    set(t, i, before);
  }

  Bits changed(Thread& t, const Instruction& i, Bits before) const {
    const Bits given = cut(i.type, value(t, i, 2));
    const auto by = [&](Op op) {
      return two_numbers(op, Way::none, i.type, before, given);
    };
    switch (i.way) {
      case Way::add: return by(Op::add);
      case Way::min: return by(Op::min);
      case Way::max: return by(Op::max);
      case Way::exch: return given;
      case Way::cas:
        return before == given ? cut(i.type, value(t, i, 3)) : before;
      default: fail(t, i, "an atomic operation that is not known");
    }
  }

  // Lets the lanes of a warp go on that wait at one place, if all that are to
  // take part have come. Those that are done need not come.
  bool pass_with_warp(std::size_t first) {
    const std::size_t end = std::min(first + lanes, block_threads_);
    bool any = false;
    for (std::size_t n = first; n < end; ++n) {
      if (threads_[n].state != State::with_warp) continue;
      const std::vector<Thread*> group = group_of(threads_[n], first, end);
      if (group.empty()) continue;
      const Instruction& i = kernel_.code[group[0]->next];
      if (i.op == Op::shfl) shuffle(group, i);
      if (i.op == Op::vote) vote(group, i);
      for (Thread* const t : group) {
        t->state = State::runs;
        ++t->next;
      }
      if (group.size() == end - first) {
        counts_.warp_is_together(static_cast<int>(first / lanes));
      }
      any = true;
    }
    return any;
  }

  std::uint32_t mask_of(const Thread& t) const {
    const Instruction& i = kernel_.code[t.next];
    return static_cast<std::uint32_t>(value(t, i.operands.back()));
  }

  // The lanes that meet this one; empty until all have come.
  std::vector<Thread*> group_of(const Thread& one, std::size_t first,
                                std::size_t end) {
    const std::uint32_t mask = mask_of(one);
    const Op op = kernel_.code[one.next].op;
    // Barriers meet wherever they stand.
    const auto meets = [&](const Thread& other) {
      return other.state == State::with_warp && mask_of(other) == mask &&
             (other.next == one.next ||
              (op == Op::bar_warp && kernel_.code[other.next].op == op));
    };
    std::vector<Thread*> group;
    for (std::size_t n = first; n < end; ++n) {
      Thread& other = threads_[n];
      if ((mask >> (n - first) & 1) == 0 || other.state == State::done)
        continue;
      if (!meets(other)) return {};
      group.push_back(&other);
    }
    return group;
  }

  // Operands: result, whether in range, number, lane or step, bounds, mask.
  void shuffle(const std::vector<Thread*>& group, const Instruction& i) {
    std::array<const Thread*, lanes> by_lane{};
    for (const Thread* const t : group) {
      by_lane[static_cast<std::size_t>(t->number % lanes)] = t;
    }
    std::array<Bits, lanes> numbers{};
    std::array<bool, lanes> in_range{};
    for (const Thread* const t : group) {
      const int lane = t->number % lanes;
      const int by = static_cast<int>(value(*t, i, 3) & 31);
      const int bounds = static_cast<int>(value(*t, i, 4));
      const int clamp = bounds & 31, segment = bounds >> 8 & 31;
      const int least = lane & segment;
      const int most = least | (clamp & ~segment);
      int from = lane;
      switch (i.way) {
        case Way::up: from = lane - by; break;
        case Way::down: from = lane + by; break;
        case Way::bfly: from = lane ^ by; break;
        default: from = least | (by & ~segment);
      }
      const bool inside = i.way == Way::up ? from >= most : from <= most;
      if (!inside) from = lane;
      const auto at = static_cast<std::size_t>(lane);
      const Thread* const source = by_lane[static_cast<std::size_t>(from)];
      if (source == nullptr) {
        fail(*t, i,
             fmt::format("a number of lane {}, which takes no part", from));
      }
      numbers[at] = cut(i.type, value(*source, i, 2));
      in_range[at] = inside;
    }
    for (Thread* const t : group) {
      const auto at = static_cast<std::size_t>(t->number % lanes);
      set(*t, i, numbers[at]);
      set(*t, i, in_range[at], 1);
    }
  }

  void vote(const std::vector<Thread*>& group, const Instruction& i) {
    Bits ballot = 0;
    std::size_t yes = 0;
    for (const Thread* const t : group) {
      if (value(*t, i, 1) == 0) continue;
      ballot |= Bits{1} << t->number % lanes;
      ++yes;
    }
    const Bits answer = i.way == Way::ballot ? ballot
                        : i.way == Way::any  ? yes > 0
                                             : yes == group.size();
    for (Thread* const t : group) set(*t, i, answer);
  }

  // Lets the block go on if all threads that are not done wait at a barrier;
  // false when all are done.
  bool pass_barrier() {
    std::vector<Thread*> all;
    for (Thread& t : threads_) {
      if (t.state == State::done) continue;
      if (t.state != State::at_barrier) {
        fail(t, kernel_.code[t.next], "its warp does not come here");
      }
      all.push_back(&t);
    }
    if (all.empty()) return false;
    const Instruction& i = kernel_.code[all[0]->next];
    std::size_t yes = 0;
    for (Thread* const t : all) {
      const Instruction& theirs = kernel_.code[t->next];
      const bool votes = i.op == Op::bar_red || theirs.op == Op::bar_red;
      if (!votes) continue;
      if (&theirs != &i) fail(*t, theirs, "not all threads vote here");
      yes += value(*t, i, i.operands.size() - 1) != 0 ? 1 : 0;
    }
    for (Thread* const t : all) {
      if (i.op == Op::bar_red) {
        set(*t, i,
            i.way == Way::popc  ? yes
            : i.way == Way::or_ ? yes > 0
                                : yes == all.size());
      }
      t->state = State::runs;
      ++t->next;
    }
    ++asked_.barriers;
    counts_.block_is_together();
    return true;
  }

  [[noreturn]] void fail(const Thread& t, const Instruction& i,
                         const std::string& why) const {
    const auto file = module_.files.find(i.at.file);
    std::string path = file == module_.files.end() ? "?" : file->second;
    throw Fault(fmt::format("{}:{}: thread {} of block ({}, {}, {}): {}",
                            path.substr(path.rfind('/') + 1), i.at.line,
                            t.number, block_[0], block_[1], block_[2], why));
  }

  const Launch& launch_;
  const Kernel& kernel_;
  const Module& module_;
  CardMemory& memory_;
  std::size_t block_threads_;
  std::vector<device::SiteCounts> sites_;  // by instruction
  device::RequestCounts counts_;
  std::mt19937_64 random_;
  Counts3 block_{};
  std::vector<unsigned char> shared_, local_;
  std::vector<Bits> registers_;
  std::vector<Thread> threads_;
  std::vector<std::size_t> order_;
  std::int64_t steps_ = 0;
  Asked asked_;
};

}  // namespace

void* CardMemory::allocate(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  void* const begin =
      std::aligned_alloc(alignment, rounded_up(bytes, alignment));
  if (begin == nullptr) throw std::bad_alloc();
  arrays_[reinterpret_cast<std::uintptr_t>(begin)] = bytes;
  bytes_held_ += bytes;
  return begin;
}

bool CardMemory::release(void* begin) {
  const auto at = arrays_.find(reinterpret_cast<std::uintptr_t>(begin));
  if (at == arrays_.end()) return false;
  bytes_held_ -= at->second;
  arrays_.erase(at);
  std::free(begin);
  return true;
}

bool CardMemory::holds(std::uintptr_t at, std::size_t bytes) const {
  auto behind = arrays_.upper_bound(at);
  if (behind == arrays_.begin()) return false;
  const auto& [begin, size] = *std::prev(behind);
  return at - begin <= size && bytes <= size - (at - begin);
}

Asked run(const Launch& launch, const Module& module, CardMemory& memory) {
  return Machine(launch, module, memory).run();
}

}  // namespace ptx
