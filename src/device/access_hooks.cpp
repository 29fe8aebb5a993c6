// What the compiler calls at each load and store of a file that is compiled
// with -fsanitize=thread: all functions that GCC (gcc/sanitizer.def,
// gcc/tsan.cc) and LLVM (ThreadSanitizer.cpp) know. ThreadSanitizer's library,
// which has others of these names, is not linked.

#include "device/access_watch.hpp"
#include "device/call_site.hpp"
#include "device/end_of_stack.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using device::AccessKind;

// [hooked]
void hooked(const void* address, std::size_t bytes, AccessKind kind,
            const void* code) {
  device::look_for_end_of_stack();  // in a browser; elsewhere nothing
  device::AccessWatch* const watch = device::AccessWatch::running();
  if (watch != nullptr) watch->hooked(address, bytes, kind, code);
}
// [hooked]

void hooked_range(const void* address, std::size_t bytes, AccessKind kind,
                  const void* code) {
  device::AccessWatch* const watch = device::AccessWatch::running();
  if (watch != nullptr) watch->hooked_range(address, bytes, kind, code);
}

__extension__ using Bits128 = unsigned __int128;

}  // namespace

// The names are the compilers'.
#define HOOK(name, bytes, kind)                                       \
  void __tsan_##name(void* address) {                                 \
    hooked(address, bytes, AccessKind::kind, MHA_CALL_SITE);          \
  }
#define RANGE_HOOK(name, bytes, kind)                                 \
  void __tsan_##name(void* address) {                                 \
    hooked_range(address, bytes, AccessKind::kind, MHA_CALL_SITE);    \
  }
#define READ_AND_WRITE_HOOK(name, function, bytes)                    \
  void __tsan_##name(void* address) {                                 \
    function(address, bytes, AccessKind::read, MHA_CALL_SITE);        \
    function(address, bytes, AccessKind::write, MHA_CALL_SITE);       \
  }
#define HOOKS_OF_WIDTH(bytes)                                         \
  HOOK(read##bytes, bytes, read)                                      \
  HOOK(write##bytes, bytes, write)                                    \
  HOOK(volatile_read##bytes, bytes, read)                             \
  HOOK(volatile_write##bytes, bytes, write)                           \
  READ_AND_WRITE_HOOK(read_write##bytes, hooked, bytes)
// Types that may begin anywhere: no GPU reads them whole.
#define UNALIGNED_HOOKS_OF_WIDTH(bytes)                               \
  RANGE_HOOK(unaligned_read##bytes, bytes, read)                      \
  RANGE_HOOK(unaligned_write##bytes, bytes, write)                    \
  RANGE_HOOK(unaligned_volatile_read##bytes, bytes, read)             \
  RANGE_HOOK(unaligned_volatile_write##bytes, bytes, write)           \
  READ_AND_WRITE_HOOK(unaligned_read_write##bytes, hooked_range, bytes)

#define ATOMIC_CHANGE(bits, type, name)                               \
  type __tsan_atomic##bits##_##name(volatile type* address, type value, int) { \
    hooked(const_cast<const type*>(address), bits / 8, AccessKind::atomic, \
           MHA_CALL_SITE);                                            \
    return __atomic_##name(address, value, __ATOMIC_SEQ_CST);         \
  }
#define ATOMIC_COMPARE(bits, type, name)                              \
  int __tsan_atomic##bits##_compare_exchange_##name(                  \
      volatile type* address, type* expected, type desired, int, int) { \
    hooked(const_cast<const type*>(address), bits / 8, AccessKind::atomic, \
           MHA_CALL_SITE);                                            \
    return __atomic_compare_exchange_n(address, expected, desired, false, \
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define ATOMICS_OF_WIDTH(bits, type)                                  \
  type __tsan_atomic##bits##_load(const volatile type* address, int) { \
    hooked(const_cast<const type*>(address), bits / 8, AccessKind::atomic, \
           MHA_CALL_SITE);                                            \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                \
  }                                                                   \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int) { \
    hooked(const_cast<const type*>(address), bits / 8, AccessKind::atomic, \
           MHA_CALL_SITE);                                            \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);               \
  }                                                                   \
  type __tsan_atomic##bits##_exchange(volatile type* address, type value, \
                                      int) {                          \
    hooked(const_cast<const type*>(address), bits / 8, AccessKind::atomic, \
           MHA_CALL_SITE);                                            \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);     \
  }                                                                   \
  ATOMIC_CHANGE(bits, type, fetch_add)                                \
  ATOMIC_CHANGE(bits, type, fetch_sub)                                \
  ATOMIC_CHANGE(bits, type, fetch_and)                                \
  ATOMIC_CHANGE(bits, type, fetch_or)                                 \
  ATOMIC_CHANGE(bits, type, fetch_xor)                                \
  ATOMIC_CHANGE(bits, type, fetch_nand)                               \
  ATOMIC_COMPARE(bits, type, strong)                                  \
  ATOMIC_COMPARE(bits, type, weak)                                    \
  type __tsan_atomic##bits##_compare_exchange_val(                    \
      volatile type* address, type expected, type desired, int, int) { \
    hooked(const_cast<const type*>(address), bits / 8, AccessKind::atomic, \
           MHA_CALL_SITE);                                            \
    __atomic_compare_exchange_n(address, &expected, desired, false,   \
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    return expected;                                                  \
  }

extern "C" {

HOOKS_OF_WIDTH(1)
HOOKS_OF_WIDTH(2)
HOOKS_OF_WIDTH(4)
HOOKS_OF_WIDTH(8)
HOOKS_OF_WIDTH(16)
UNALIGNED_HOOKS_OF_WIDTH(2)
UNALIGNED_HOOKS_OF_WIDTH(4)
UNALIGNED_HOOKS_OF_WIDTH(8)
UNALIGNED_HOOKS_OF_WIDTH(16)
ATOMICS_OF_WIDTH(8, std::uint8_t)
ATOMICS_OF_WIDTH(16, std::uint16_t)
ATOMICS_OF_WIDTH(32, std::uint32_t)
ATOMICS_OF_WIDTH(64, std::uint64_t)

void __tsan_read_range(void* address, std::size_t bytes) {
  hooked_range(address, bytes, AccessKind::read, MHA_CALL_SITE);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  hooked_range(address, bytes, AccessKind::write, MHA_CALL_SITE);
}
void __tsan_vptr_read(void** address) {
  hooked(address, sizeof(void*), AccessKind::read,
         MHA_CALL_SITE);
}
void __tsan_vptr_update(void** address, void*) {
  hooked(address, sizeof(void*), AccessKind::write,
         MHA_CALL_SITE);
}
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

}  // extern "C"
