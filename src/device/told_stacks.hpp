/// \file told_stacks.hpp
/// Tells the address sanitizer, where it is compiled in, which stack runs:
/// sanitizer/common_interface_defs.h, "Fiber annotation interface".
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define MHA_TELL_STACKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MHA_TELL_STACKS 1
#endif
#endif

#ifdef MHA_TELL_STACKS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace device {

/// One of the two sides of a switch between stacks.
class ToldStack {
 public:
  /// \param lowest  the end that the stack grows towards
  /// \param bytes   of it
  void is(const void* lowest, std::size_t bytes) {
    lowest_ = lowest;
    bytes_ = bytes;
  }

#ifdef MHA_TELL_STACKS
  /// Before this one is left for another.
  void leave_for(const ToldStack& next) {
    __sanitizer_start_switch_fiber(&aside_, next.lowest_, next.bytes_);
  }
  /// Before this one, which has ended, is left for another.
  void end_for(const ToldStack& next) {
    __sanitizer_start_switch_fiber(nullptr, next.lowest_, next.bytes_);
  }
  /// First thing on this one; previous learns which it was.
  void arrive_from(ToldStack& previous) {
    __sanitizer_finish_switch_fiber(aside_, &previous.lowest_,
                                    &previous.bytes_);
  }
  /// Nothing of what ran on it is left.
  void clear() {
    __asan_unpoison_memory_region(lowest_, bytes_);
    aside_ = nullptr;
  }
#else
  void leave_for(const ToldStack&) {}
  void end_for(const ToldStack&) {}
  void arrive_from(ToldStack&) {}
  void clear() {}
#endif

 private:
  const void* lowest_ = nullptr;
  std::size_t bytes_ = 0;
  [[maybe_unused]] void* aside_ = nullptr;
};

}  // namespace device
