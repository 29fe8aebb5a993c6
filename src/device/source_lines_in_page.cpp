// What mark_sites.mjs has written into the kernels' files about themselves: in a
// page, no file can be asked for lines and variables.
#include "device/source_lines.hpp"

#include "device/call_site.hpp"

namespace {

// As mark_sites.mjs lays them out.
struct MarkedSite {
  const char* file;
  int line;
};
struct MarkedVariable {
  const void* begin;
  std::size_t bytes;
  std::size_t element_bytes;
  const char* name;
};

}  // namespace

extern "C" {
const void* mha_call_site = nullptr;
// The linker's: where the program's variables lie, and those that are shared.
extern char __global_base;
extern char __data_end;
extern const MarkedVariable __start_mha_shared __attribute__((weak));
extern const MarkedVariable __stop_mha_shared __attribute__((weak));
}

namespace device {

SourceLine source_line(const void* code) {
  if (code == nullptr) return {};
  const MarkedSite& site = *static_cast<const MarkedSite*>(code);
  return {site.file, site.line};
}

std::vector<SharedVariable> shared_variables() {
  std::vector<SharedVariable> variables;
  for (const MarkedVariable* one = &__start_mha_shared;
       one != &__stop_mha_shared; ++one) {
    variables.push_back({reinterpret_cast<std::uintptr_t>(one->begin),
                         one->bytes, one->name, one->element_bytes});
  }
  return variables;
}

// Constants are not hooked, and lie among the variables.
std::vector<Stretch> constant_memory() { return {}; }

std::vector<Stretch> variable_memory() {
  return {{reinterpret_cast<std::uintptr_t>(&__global_base),
           static_cast<std::size_t>(&__data_end - &__global_base)}};
}

}  // namespace device
