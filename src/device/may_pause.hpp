/// \file may_pause.hpp
/// A call through a pointer in which a fiber may pause.
#pragma once

#ifdef __EMSCRIPTEN__
/// In fiber_in_page.js.
extern "C" void mha_call(void (*callee)(const void*), const void* argument);
#endif

namespace device {

/// Calls a function in which the running fiber may pause. In a page, what
/// pauses returns (fiber_in_page.cpp), and the compiler prepares for that where
/// it sees that a call may pause; it does not look behind pointers.
/// \param callee    what to call
/// \param argument  given to it
inline void call_that_may_pause(void (*callee)(const void*),
                                const void* argument) {
#ifdef __EMSCRIPTEN__
  mha_call(callee, argument);
#else
  callee(argument);
#endif
}

}  // namespace device
