#include "device/fiber.hpp"

#include "device/told_stacks.hpp"

#include <boost/context/fiber.hpp>

#include <exception>
#include <new>
#include <utility>

namespace device {

namespace {

using Context = boost::context::fiber;

// The stacks are not Boost's to free.
struct KeepStack {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

struct Fiber::State {
  // Where the fiber goes on, and where its caller does. A context's destructor
  // would unwind the stack it stands for, so a forgotten one is overwritten
  // instead: it owns nothing besides.
  union Slot {
    Context context;
    Slot() : context() {}
    ~Slot() {}
    void put(Context next) { new (&context) Context(std::move(next)); }
    Context take() { return std::move(context); }
  };
  Slot own;
  Slot caller;
  ToldStack own_stack;
  ToldStack caller_stack;
  Body body = nullptr;
  void* argument = nullptr;
  std::exception_ptr thrown;  // by body
};

Fiber::Fiber() : state_(std::make_unique<State>()) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;

void Fiber::start(const StackMemory& stack, Body body, void* argument) {
  State* state = state_.get();
  state->body = body;
  state->argument = argument;
  state->own_stack.is(stack.lowest, stack.bytes);
  state->own_stack.clear();
  boost::context::stack_context memory;
  memory.sp = static_cast<char*>(stack.lowest) + stack.bytes;
  memory.size = stack.bytes;
  const boost::context::preallocated place(memory.sp, memory.size, memory);
  state->own.put(Context(std::allocator_arg, place, KeepStack{},
                         [state](Context&& caller) {
                           state->own_stack.arrive_from(state->caller_stack);
                           state->caller.put(std::move(caller));
                           try {
                             state->body(state->argument);
                           } catch (...) {
                             state->thrown = std::current_exception();
                           }
                           state->own_stack.end_for(state->caller_stack);
                           return state->caller.take();
                         }));
}

void Fiber::resume() {
  State& state = *state_;
  state.caller_stack.leave_for(state.own_stack);
  state.own.put(state.own.take().resume());
  state.caller_stack.arrive_from(state.own_stack);
  if (state.thrown) std::rethrow_exception(std::exchange(state.thrown, {}));
}

void Fiber::pause() noexcept {
  State& state = *state_;
  state.own_stack.leave_for(state.caller_stack);
  state.caller.put(state.caller.take().resume());
  state.own_stack.arrive_from(state.caller_stack);
}

}  // namespace device
