// What mark_sites.mjs has written into the kernels' files about themselves: in
// a page, no file can be asked for lines and variables.
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
  const char* name;  // null: a constant
};

}  // namespace

extern "C" {
const void* mha_call_site = nullptr;
// The linker's: where the program's variables lie.
extern char __global_base;
extern char __data_end;
}

namespace device {

namespace {

// What the kernels may touch besides buffers. Each file of them adds its own
// before main begins.
struct Listed {
  std::vector<SharedVariable> shared;
  std::vector<Stretch> constants;
};
Listed& listed() {
  static Listed all;
  return all;
}

}  // namespace

extern "C" void mha_list_variables(const MarkedVariable* first,
                                   std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const MarkedVariable& one = first[i];
    const auto begin = reinterpret_cast<std::uintptr_t>(one.begin);
    if (one.name == nullptr) {
      listed().constants.push_back({begin, one.bytes});
    } else {
      listed().shared.push_back({begin, one.bytes, one.name,
                                 one.element_bytes});
    }
  }
}

SourceLine source_line(const void* code) {
  if (code == nullptr) return {};
  const MarkedSite& site = *static_cast<const MarkedSite*>(code);
  return {site.file, site.line};
}

std::vector<SharedVariable> shared_variables() { return listed().shared; }

std::vector<Stretch> constant_memory() { return listed().constants; }

std::vector<Stretch> variable_memory() {
  return {{reinterpret_cast<std::uintptr_t>(&__global_base),
           static_cast<std::size_t>(&__data_end - &__global_base)}};
}

}  // namespace device
