// Fibers of a program that runs in a page. WebAssembly cannot leave one stack
// for another: a fiber is called, and to pause, each of its functions returns,
// having written down its variables and where it was. Asyncify (Binaryen's)
// adds what does that; fiber_in_page.js switches it.
#include "device/fiber.hpp"

#include "device/end_of_stack.hpp"
#include "device/stack_overflow.hpp"

#include <cstdint>

namespace device {

struct Fiber::State {
  // fiber_in_page.js knows these three by their places.
  char* free = nullptr;  // where Asyncify writes next
  char* end = nullptr;   // of what it may write on
  char* stack_pointer = nullptr;
  Body body = nullptr;
  void* argument = nullptr;
  bool paused = false;

  char* saved = nullptr;  // the beginning of Asyncify's memory
  std::uint32_t* mark = nullptr;
};

extern "C" {
/// Calls the body, or goes on in it. 0: it has ended; 1: it has paused; 2: there
/// was no room to write down what it needs to go on.
int mha_run_fiber(Fiber::Body body, void* argument, void* state, bool paused);
/// Pauses it; and called again by Asyncify when it goes on.
void mha_pause_fiber(void* state) noexcept;
}

namespace {

// What Asyncify writes lies at the far end of the stack, under a mark: the
// stack grows towards it, and spoils nothing of others before it shows.
constexpr std::size_t saved_bytes = 8 * 1024;
constexpr std::uint32_t unspoilt = 0x5afe57ac;

const char* end_of_stack = nullptr;  // of the fiber that runs

// For as long as a fiber runs, however it ends.
struct Running {
  explicit Running(const char* end) { end_of_stack = end; }
  ~Running() { end_of_stack = nullptr; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

}  // namespace

void look_for_end_of_stack() {
  const char here = 0;
  const char* volatile address = &here;
  if (address < end_of_stack) StackOverflowLine::say();
}

Fiber::Fiber() : state_(std::make_unique<State>()) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;

void Fiber::start(const StackMemory& stack, Body body, void* argument) {
  State& state = *state_;
  state.saved = static_cast<char*>(stack.lowest);
  state.end = state.saved + saved_bytes;
  state.mark = reinterpret_cast<std::uint32_t*>(state.end);
  *state.mark = unspoilt;
  state.stack_pointer = state.saved + stack.bytes;
  state.body = body;
  state.argument = argument;
  state.paused = false;
}

void Fiber::resume() {
  State& state = *state_;
  const int how = [&state] {
    const Running running(state.end);
    return mha_run_fiber(state.body, state.argument, &state, state.paused);
  }();
  state.paused = how == 1;
  const bool below_mark = state.stack_pointer <= state.end;
  if (how == 2 || below_mark || *state.mark != unspoilt) {
    StackOverflowLine::say();
  }
}

void Fiber::pause() noexcept {
  State& state = *state_;
  state.free = state.saved;
  mha_pause_fiber(&state);
}

}  // namespace device
