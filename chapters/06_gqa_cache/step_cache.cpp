#include "step_cache.hpp"

#include "mha/measure.hpp"
#include "mha/program.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace caches {

// [right steps]
Index right_position(Index cached, Index i) { return cached + i; }
Index right_slot(Index cached, Index i, Index slots) {
  return (cached + i) % slots;
}
Index right_oldest(Index position, Index window) {
  return position - window + 1;
}
// [right steps]

// [turned]
Row turned(Row row, Index d_head, Index position) {
  for (Index c = 0; c + 1 < row.size(); c += 2) {
    const Index pair = c % d_head;
    if (pair + 1 >= d_head) continue;  // an odd column stays
    const double angle =
        static_cast<double>(position) *
        std::pow(10000.0, -static_cast<double>(pair) /
                              static_cast<double>(d_head));
    const double x = row(c), y = row(c + 1);
    row(c) = x * std::cos(angle) - y * std::sin(angle);
    row(c + 1) = x * std::sin(angle) + y * std::cos(angle);
  }
  return row;
}
// [turned]

namespace {

// [memory of a session]
struct Slot {
  Index position = -1;  // of the token in it, or none
  Row k, v;
};

struct Memory {
  Index cached = 0;
  std::vector<Slot> slots;
};
// [memory of a session]

// [turned-again]
void turn_all(Memory& memory, Index d_head) {
  for (Slot& old : memory.slots) {
    if (old.position >= 0) old.k = turned(old.k, d_head, old.position);
  }
}
// [turned-again]

// [take in]
void take_in(Memory& memory, const Steps& steps, const Setting& setting,
             Index i, Index d_head, const Row& k, const Row& v) {
  if (setting.rotary && steps.turn_again) turn_all(memory, d_head);
  const auto slot = static_cast<std::size_t>(steps.slot(
      memory.cached, i, std::ssize(memory.slots)));
  const Index angle = steps.position(memory.cached, i);
  memory.slots.at(slot) = {memory.cached + i,
                           setting.rotary ? turned(k, d_head, angle) : k, v};
}
// [take in]

// [read out]
// What one head's query, which comes from `position`, gets.
Row read_out(const Memory& memory, const Steps& steps, const Setting& setting,
             Index position, const Row& q, Index kv_head) {
  const Index d = q.size();
  std::vector<const Slot*> seen;
  for (const Slot& slot : memory.slots) {
    if (slot.position >= 0 && slot.position <= position &&
        slot.position >= steps.oldest(position, setting.window)) {
      seen.push_back(&slot);
    }
  }
  Numbers k(std::ssize(seen), d), v(std::ssize(seen), d);
  for (std::size_t j = 0; j < seen.size(); ++j) {
    mha::require((kv_head + 1) * d <= seen[j]->k.size(),
                 "there is no key/value head {} among {}", kv_head,
                 setting.n_kv_heads);
    k.row(static_cast<Index>(j)) = seen[j]->k.segment(kv_head * d, d);
    v.row(static_cast<Index>(j)) = seen[j]->v.segment(kv_head * d, d);
  }
  return mha::attention(q, k, v).context;
}
// [read out]

}  // namespace

// [session]
mha::CacheSession session(const Steps& steps, const Setting& setting) {
  const auto memory = std::make_shared<Memory>();
  return [=](const mha::AttentionCall& piece) {
    mha::require(piece.batch == 1, "{} items, but a session has one",
                 piece.batch);
    const Index d = mha::d_head_of(piece);
    // One slot more than the window, so that a window can be too wide.
    memory->slots.resize(static_cast<std::size_t>(
        std::min<Index>(setting.window + 1, 4096)));
    Numbers out(piece.q.rows(), piece.q.cols());
    for (Index i = 0; i < piece.q.rows(); ++i) {
      take_in(*memory, steps, setting, i, d, piece.k.row(i), piece.v.row(i));
      const Index angle = steps.position(memory->cached, i);
      for (Index h = 0; h < piece.n_heads; ++h) {
        Row q = piece.q.row(i).segment(h * d, d);
        if (setting.rotary) q = turned(q, d, angle);
        const Index g = steps.kv_head(h, piece.n_heads, piece.n_kv_heads);
        out.row(i).segment(h * d, d) =
            read_out(*memory, steps, setting, memory->cached + i, q, g);
      }
    }
    memory->cached += piece.q.rows();
    return out;
  };
}
// [session]

// [whole]
Numbers whole(const mha::AttentionCall& call, const Setting& setting) {
  mha::AttentionCall all = call;
  const Index tokens = mha::tokens_of(call), d = mha::d_head_of(call);
  mha::BoolMatrix seen(tokens, tokens);
  for (Index i = 0; i < tokens; ++i) {
    for (Index j = 0; j < tokens; ++j) {
      seen(i, j) = j <= i && j > i - setting.window;
    }
    if (setting.rotary) {
      all.q.row(i) = turned(call.q.row(i), d, i);
      all.k.row(i) = turned(call.k.row(i), d, i);
    }
  }
  all.options.causal = mha::Causal::none;
  all.options.pairs = mha::AttendMask::where_true_attends(seen);
  return mha::by_definition(all);
}
// [whole]

// [any pieces give what the whole gives]
std::string fault_in_pieces(const Case& one) {
  const Index tokens = 11;
  const mha::AttentionCall call = mha::random_call(
      61, {1, tokens, tokens, one.setting.n_heads, one.setting.n_kv_heads, 4});
  const Numbers expected = whole(call, one.setting);
  for (const Index size : {tokens, Index{1}, Index{4}}) {
    const mha::CacheSession feed = session(one.steps, one.setting);
    for (Index from = 0; from < tokens; from += size) {
      const Index count = std::min(size, tokens - from);
      Numbers got;
      try {
        got = feed(mha::piece_of(call, from, count));
      } catch (const std::invalid_argument& error) {
        return error.what();
      }
      for (Index i = 0; i < count; ++i) {
        const Row right = expected.row(from + i);
        if (!mha::differ(right, got.row(i), 0x1p-52)) continue;
        return fmt::format("in pieces of {}, token {} is off by {:.2f}", size,
                           from + i, mha::max_abs_difference(right,
                                                             got.row(i)));
      }
    }
  }
  return "";
}
// [any pieces give what the whole gives]

namespace {

// [tiled-kv-heads]
Index tiled(Index head, Index /*n_heads*/, Index n_kv_heads) {
  return head % n_kv_heads;
}
// [tiled-kv-heads]

// [divided-by-kv-heads]
Index divided_by_kv_heads(Index head, Index /*n_heads*/, Index n_kv_heads) {
  return head / n_kv_heads;
}
// [divided-by-kv-heads]

// [position-from-zero]
Index from_zero(Index /*cached*/, Index i) { return i; }
// [position-from-zero]

// [written-over]
Index over_the_first(Index /*cached*/, Index i, Index slots) {
  return i % slots;
}
// [written-over]

// [one-too-many]
Index one_more(Index position, Index window) { return position - window; }
// [one-too-many]

// [one-too-few]
Index one_less(Index position, Index window) { return position - window + 2; }
// [one-too-few]

}  // namespace

// [cases]
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"right", "nothing"},
      {"tiled-kv-heads", "heads 0, 1, 2, 3 read 0, 1, 0, 1",
       {.kv_head = tiled}, {}, {"G1"}},
      {"divided-by-kv-heads", "right for 4 on 2; heads of 8 on 2 are not there",
       {.kv_head = divided_by_kv_heads}, {.n_heads = 8}, {"G2", "G3"}},
      {"some-heads-unread", "32 on 8: heads 4 to 7 are never read",
       {.kv_head = divided_by_kv_heads}, {.n_heads = 32, .n_kv_heads = 8}},
      {"position-from-zero", "a prompt is right, what is written is not",
       {.position = from_zero}, {.rotary = true}, {"H1"}},
      {"turned-again", "the first two tokens are right, the others not",
       {.turn_again = true}, {.rotary = true}, {"H3"}},
      {"written-over", "the second turn has forgotten the first",
       {.slot = over_the_first}, {}, {"H5"}},
      {"one-too-many", "right until the window is full",
       {.oldest = one_more}, {.window = 3}, {"I1", "I5"}},
      {"one-too-few", "right for all but the last of the window",
       {.oldest = one_less}, {.window = 3}},
      {"right-window", "nothing", {}, {.window = 3}},
      {"right-rotary", "nothing", {}, {.rotary = true}}};
  return all;
}

const Case& case_named(const std::string& name) {
  const auto found = std::find_if(
      cases().begin(), cases().end(),
      [&](const Case& one) { return one.name == name; });
  mha::require(found != cases().end(),
               "there is no cache {}; --cases lists them", name);
  return *found;
}
// [cases]

// [print cases]
void print_cases() {
  mha::heading("Wrong caches");
  for (const Case& one : cases()) {
    const std::string fault = fault_in_pieces(one);
    fmt::print("{:20} {}\n{:20} {}\n", one.name, one.symptom, "",
               fault.empty() ? "passes" : "caught: " + fault);
  }
}

// What each token gets, one at a time, beside the right one.
void print_case(const Case& one) {
  const mha::AttentionCall call = mha::random_call(
      61, {1, 11, 11, one.setting.n_heads, one.setting.n_kv_heads, 4});
  const Numbers expected = whole(call, one.setting);
  mha::heading("One token at a time");
  fmt::print("{}: {}\ntoken  largest difference\n", one.name, one.symptom);
  const mha::CacheSession feed = session(one.steps, one.setting);
  for (Index t = 0; t < 11; ++t) {
    try {
      const Numbers got = feed(mha::piece_of(call, t, 1));
      fmt::print("{:5}  {:.3f}\n", t,
                 mha::max_abs_difference(expected.row(t), got));
    } catch (const std::invalid_argument& error) {
      fmt::print("{:5}  refused: {}\n", t, error.what());
    }
  }
}

void print_reports() {
  mha::heading("Bug reports");
  for (const Case& one : cases()) {
    for (const std::string& row : one.reports) {
      fmt::print("{} | {} | {} | {}\n", row, one.name,
                 fault_in_pieces(one).empty() ? "passed" : "caught",
                 "any pieces give what the whole gives");
    }
  }
}
// [print cases]

}  // namespace caches
