#include "device/fiber.hpp"

#include <boost/context/fiber.hpp>

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
  Body body = nullptr;
  void* argument = nullptr;
};

Fiber::Fiber() : state_(std::make_unique<State>()) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;

void Fiber::start(const StackMemory& stack, Body body, void* argument) {
  boost::context::stack_context memory;
  memory.sp = static_cast<char*>(stack.lowest) + stack.bytes;
  memory.size = stack.bytes;
  State* state = state_.get();
  state->body = body;
  state->argument = argument;
  const boost::context::preallocated place(memory.sp, memory.size, memory);
  state->own.put(Context(std::allocator_arg, place, KeepStack{},
                         [state](Context&& caller) {
                           state->caller.put(std::move(caller));
                           state->body(state->argument);
                           return state->caller.take();
                         }));
}

void Fiber::resume() { state_->own.put(state_->own.take().resume()); }

void Fiber::pause() { state_->caller.put(state_->caller.take().resume()); }

}  // namespace device
