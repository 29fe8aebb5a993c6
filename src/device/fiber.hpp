/// \file fiber.hpp
/// A function that can pause in the middle: one for each thread of a block.
#pragma once

#include <cstddef>
#include <memory>

namespace device {

/// Memory for a fiber's stack.
struct StackMemory {
  void* lowest = nullptr;  ///< the end it grows towards
  std::size_t bytes = 0;
};

// [fiber]
/// Runs a function on a stack of its own, in turns with its caller. One that
/// has paused may be forgotten: it is never unwound (that would be an exception
/// through frames that do not expect one), its stack is used again.
class Fiber {
 public:
  using Body = void (*)(void* argument);

  Fiber();
  ~Fiber();
  Fiber(Fiber&&) noexcept;
  Fiber& operator=(Fiber&&) noexcept;

  /// Begins anew, with whatever ran here before forgotten. Body first runs in
  /// the next resume().
  /// \param stack     stays the caller's
  /// \param body      what to run
  /// \param argument  given to it
  void start(const StackMemory& stack, Body body, void* argument);

  /// Goes on where it paused, until it pauses again or body has returned.
  /// \throws what body throws, which then is over
  void resume();

  /// From within body: back to whoever called resume().
  void pause() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};
// [fiber]

}  // namespace device
