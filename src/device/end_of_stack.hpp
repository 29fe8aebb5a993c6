/// \file end_of_stack.hpp
/// Whether the running fiber has outgrown its stack, where no memory can be
/// protected that would tell.
#pragma once

namespace device {

#ifdef __EMSCRIPTEN__
/// Ends the program with one line if so. In fiber_in_page.cpp.
void look_for_end_of_stack();
#else
/// Nothing to do: fiber_stacks.cpp has put protected memory there.
inline void look_for_end_of_stack() {}
#endif

}  // namespace device
