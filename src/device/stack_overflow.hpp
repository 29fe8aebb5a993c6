/// \file stack_overflow.hpp
/// A thread that outgrows its stack, said in a line.
#pragma once

#include "device/fiber_stacks.hpp"

#include <csignal>
#include <string>

namespace device {

/// While it lives, a thread that touches the memory below its stack ends the
/// program with one line and status 1. The operating system tells of it by a
/// signal, and nothing can go on from there: the thread has no stack left.
class StackOverflowLine {
 public:
  /// \param stacks  of the threads
  /// \param line    what to say
  StackOverflowLine(const FiberStacks& stacks, const std::string& line);
  ~StackOverflowLine();
  /// Ends the program so. In a page, where no system tells, the fibers do.
  [[noreturn]] static void say();
  StackOverflowLine(const StackOverflowLine&) = delete;
  StackOverflowLine& operator=(const StackOverflowLine&) = delete;

 private:
  // Of no use in a page, which has no signals.
  [[maybe_unused]] struct sigaction before_ {};
  [[maybe_unused]] stack_t stack_before_{};
};

}  // namespace device
