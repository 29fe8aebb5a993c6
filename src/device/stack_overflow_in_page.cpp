// No signal tells a program in a page that a stack was outgrown: its fibers
// find out, and say so.
#include "device/stack_overflow.hpp"

#include <cstdio>
#include <cstdlib>

namespace device {

namespace {

std::string line_to_say;

}  // namespace

StackOverflowLine::StackOverflowLine(const FiberStacks&,
                                     const std::string& line) {
  line_to_say = line;
}

StackOverflowLine::~StackOverflowLine() { line_to_say.clear(); }

void StackOverflowLine::say() {
  std::fprintf(stderr, "%s\n", line_to_say.c_str());
  std::exit(1);
}

}  // namespace device
