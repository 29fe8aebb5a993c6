#include "device/stack_overflow.hpp"

#include <unistd.h>

#include <array>
#include <cstring>

namespace device {

namespace {

// A signal's handler has no argument of ours, and may not allocate memory.
const FiberStacks* watched = nullptr;
std::array<char, 256> line_to_say;
struct sigaction other_faults;
alignas(16) std::array<char, 16 * 1024> handler_stack;

void handle(int, siginfo_t* info, void*) {
  if (watched == nullptr || !watched->is_guard(info->si_addr)) {
    // Not ours: the fault comes again as soon as this returns.
    sigaction(SIGSEGV, &other_faults, nullptr);
    return;
  }
  StackOverflowLine::say();
}

}  // namespace

StackOverflowLine::StackOverflowLine(const FiberStacks& stacks,
                                     const std::string& line) {
  watched = &stacks;
  line_to_say = {};
  line.copy(line_to_say.data(), line_to_say.size() - 2);
  line_to_say[std::strlen(line_to_say.data())] = '\n';
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  sigaltstack(&stack, &stack_before_);
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before_);
  other_faults = before_;
}

StackOverflowLine::~StackOverflowLine() {
  sigaction(SIGSEGV, &before_, nullptr);
  sigaltstack(&stack_before_, nullptr);
  watched = nullptr;
}

// A signal's handler may do no more than this.
void StackOverflowLine::say() {
  const std::size_t length = std::strlen(line_to_say.data());
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, line_to_say.data(), length);
  _exit(1);
}

}  // namespace device
