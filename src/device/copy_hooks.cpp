// clang leaves copies of whole structures to memcpy, and tells nobody of them.
// A program that is linked with --wrap=memcpy and so on (add_kernels does it
// for clang) calls these instead.

#include "device/access_watch.hpp"
#include "device/call_site.hpp"

#include <cstddef>

namespace {

void hooked_range(const void* address, std::size_t bytes,
                  device::AccessKind kind, const void* code) {
  device::AccessWatch* const watch = device::AccessWatch::running();
  if (watch != nullptr) watch->hooked_range(address, bytes, kind, code);
}

}  // namespace

#ifdef __EMSCRIPTEN__
// There mark_sites.mjs has the kernels call these, and the linker does nothing.
#define REAL_NAME(name) __asm__(name)
#else
#define REAL_NAME(name)
#endif

extern "C" {

void* __real_memcpy(void* to, const void* from, std::size_t bytes)
    REAL_NAME("memcpy");
void* __real_memmove(void* to, const void* from, std::size_t bytes)
    REAL_NAME("memmove");
void* __real_memset(void* to, int value, std::size_t bytes)
    REAL_NAME("memset");

void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  const void* const code = MHA_CALL_SITE;
  hooked_range(from, bytes, device::AccessKind::read, code);
  hooked_range(to, bytes, device::AccessKind::write, code);
  return __real_memcpy(to, from, bytes);
}

void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  const void* const code = MHA_CALL_SITE;
  hooked_range(from, bytes, device::AccessKind::read, code);
  hooked_range(to, bytes, device::AccessKind::write, code);
  return __real_memmove(to, from, bytes);
}

void* __wrap_memset(void* to, int value, std::size_t bytes) {
  hooked_range(to, bytes, device::AccessKind::write,
               MHA_CALL_SITE);
  return __real_memset(to, value, bytes);
}

}  // extern "C"
