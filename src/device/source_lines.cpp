#include "device/source_lines.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace device {
namespace {

// Debug information that lies elsewhere is not looked for: libdw would ask
// servers for it.
int no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*,
                  const char*, GElf_Word, char**) {
  return -1;
}

const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, no_debug_file,
                                  nullptr, nullptr};

// This program, as libdw sees it.
class Program {
 public:
  Program() : dwfl_(dwfl_begin(&callbacks)) {
    if (dwfl_ == nullptr ||
        dwfl_linux_proc_report(dwfl_.get(), getpid()) != 0 ||
        dwfl_report_end(dwfl_.get(), nullptr, nullptr) != 0) {
      throw std::runtime_error(
          "this program cannot read its own symbols, by which the CPU device "
          "knows lines and shared variables: is /proc mounted?");
    }
  }
  Dwfl_Module* module_at(std::uintptr_t address) const {
    return dwfl_addrmodule(dwfl_.get(), address);
  }
  // The one that this code was linked into, and so the kernels.
  Dwfl_Module* main_module() const {
    return module_at(reinterpret_cast<std::uintptr_t>(&source_line));
  }

 private:
  struct End {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
  };
  std::unique_ptr<Dwfl, End> dwfl_;
};

const Program& program() {
  static const Program one;
  return one;
}

bool is_cuda_file(std::string_view path) {
  return path.size() > 3 && path.substr(path.size() - 3) == ".cu";
}

std::string without_folders(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == path.npos ? path : path.substr(slash + 1));
}

// Where an inlined function was called, by its DIE (debugging information
// entry).
SourceLine call_of(Dwarf_Die& inlined, Dwarf_Die& unit) {
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0;
  Dwarf_Word line = 0;
  if (dwarf_getsrcfiles(&unit, &files, &file_count) != 0 ||
      dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute),
                      &file) != 0 ||
      dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute),
                      &line) != 0) {
    return {};
  }
  const char* const path = dwarf_filesrc(files, file, nullptr, nullptr);
  if (path == nullptr) return {};
  return {path, static_cast<int>(line)};
}

// The compilation unit that holds the code, and what the program's addresses
// are above those in the file.
Dwarf_Die* unit_at(Dwfl_Module* module, std::uintptr_t address,
                   Dwarf_Addr& bias) {
  const auto holds = [&](Dwarf_Die* unit) {
    return unit != nullptr && dwarf_haspc(unit, address - bias) == 1;
  };
  Dwarf_Die* const indexed = dwfl_module_addrdie(module, address, &bias);
  if (holds(indexed)) return indexed;
  // clang leaves its units out of the index (.debug_aranges), which then may
  // name a neighbour.
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (holds(unit)) return unit;
  }
  return nullptr;
}

// The line of the code itself, then of the calls it was inlined at, innermost
// first; with folders.
std::vector<SourceLine> lines_at(std::uintptr_t address) {
  std::vector<SourceLine> lines;
  Dwfl_Module* const module = program().module_at(address);
  if (module == nullptr) return lines;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(module, address, bias);
  if (unit == nullptr) return lines;
  Dwarf_Line* const line = dwarf_getsrc_die(unit, address - bias);
  int number = 0;
  if (line == nullptr || dwarf_lineno(line, &number) != 0) return lines;
  const char* const path = dwarf_linesrc(line, nullptr, nullptr);
  if (path == nullptr) return lines;
  lines.push_back({path, number});

  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(unit, address - bias, &scopes);
  for (int i = 0; i < count; ++i) {
    if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) break;
    if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
    lines.push_back(call_of(scopes[i], *unit));
  }
  std::free(scopes);
  return lines;
}


// The bytes of an array's element, or of a plain variable.
std::size_t element_bytes_of(Dwarf_Die& variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  Dwarf_Attribute* const found =
      dwarf_attr_integrate(&variable, DW_AT_type, &attribute);
  if (found == nullptr || dwarf_formref_die(found, &type) == nullptr) return 0;
  for (;;) {
    Dwarf_Die peeled;
    if (dwarf_peel_type(&type, &peeled) != 0) return 0;
    if (dwarf_tag(&peeled) != DW_TAG_array_type) {
      const int bytes = dwarf_bytesize(&peeled);
      return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
    }
    if (dwarf_formref_die(dwarf_attr_integrate(&peeled, DW_AT_type, &attribute),
                          &type) == nullptr) {
      return 0;
    }
  }
}

// The address that a variable's location states, if it states one.
std::optional<Dwarf_Addr> address_of(Dwarf_Die& variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count == 0) {
    return std::nullopt;
  }
  if (operations[0].atom == DW_OP_addr) return operations[0].number;
  if (operations[0].atom != DW_OP_addrx) return std::nullopt;
  Dwarf_Attribute indirect;
  Dwarf_Addr address = 0;
  if (dwarf_getlocation_attr(&attribute, operations, &indirect) != 0 ||
      dwarf_formaddr(&indirect, &address) != 0) {
    return std::nullopt;
  }
  return address;
}

using Sizes = std::map<Dwarf_Addr, std::size_t>;  // of elements, by address

void add_sizes_below(Dwarf_Die parent, Sizes& sizes) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    if (dwarf_tag(&child) == DW_TAG_variable) {
      const std::optional<Dwarf_Addr> address = address_of(child);
      if (address) sizes[*address] = element_bytes_of(child);
    }
    add_sizes_below(child, sizes);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// Of all variables in the .cu files, by address as in the file.
Sizes element_sizes(Dwfl_Module* module, Dwarf_Addr& bias) {
  Sizes sizes;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    const char* const name = dwarf_diename(unit);
    if (name != nullptr && is_cuda_file(name)) add_sizes_below(*unit, sizes);
  }
  return sizes;
}

// Of a function in the kernels' namespace: kernels may stand in other files
// than .cu ones, as those of the exercises do.
bool is_of_kernels(std::string_view mangled) {
  return mangled.starts_with("_ZZN13on_cpu_device");
}

// on_cpu_device::kernel<32>(float*)::tile is tile.
std::string last_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  const std::string_view whole = readable ? readable.get() : mangled;
  const std::size_t colons = whole.rfind("::");
  return std::string(colons == whole.npos ? whole : whole.substr(colons + 2));
}

// Calls back with each loaded stretch of this program and its libraries.
template <class Visit>
void for_each_segment(Visit&& visit) {
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& header = object->dlpi_phdr[i];
          (*static_cast<Visit*>(data))(
              header, Stretch{object->dlpi_addr + header.p_vaddr,
                              header.p_memsz});
        }
        return 0;
      },
      &visit);
}

bool any_holds(const std::vector<Stretch>& all, std::uintptr_t address) {
  return std::any_of(all.begin(), all.end(), [address](const Stretch& one) {
    return address - one.begin < one.bytes;
  });
}

}  // namespace

SourceLine source_line(const void* code) {
  // The call is the instruction before the one it returns to.
  const std::uintptr_t call = reinterpret_cast<std::uintptr_t>(code) - 1;
  const std::vector<SourceLine> lines = lines_at(call);
  if (lines.empty()) return {};
  const auto in_kernel = std::find_if(
      lines.begin(), lines.end(),
      [](const SourceLine& line) { return is_cuda_file(line.file); });
  const SourceLine& found = in_kernel == lines.end() ? lines.front()
                                                     : *in_kernel;
  return {without_folders(found.file), found.line};
}

std::vector<SharedVariable> shared_variables() {
  Dwfl_Module* const module = program().main_module();
  const int symbols = dwfl_module_getsymtab(module);
  if (symbols <= 0) {
    throw std::runtime_error(
        "this program has no symbols, by which the CPU device knows shared "
        "variables: link it without -s, and do not strip it");
  }
  Dwarf_Addr bias = 0;
  const Sizes sizes = element_sizes(module, bias);
  const std::vector<Stretch> writable = variable_memory();
  std::vector<SharedVariable> variables;
  for (int i = 0; i < symbols; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* const name = dwfl_module_getsym_info(
        module, i, &symbol, &address, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
        std::string_view(name).substr(0, 3) != "_ZZ" || symbol.st_size == 0 ||
        !any_holds(writable, address)) {
      continue;
    }
    const auto size = sizes.find(address - bias);
    const bool known = size != sizes.end();
    if (!known && !is_of_kernels(name)) continue;
    variables.push_back({address, symbol.st_size, last_name(name),
                         known && size->second != 0 ? size->second : 4});
  }
  return variables;
}

std::vector<Stretch> constant_memory() {
  std::vector<Stretch> found;
  for_each_segment([&found](const auto& header, const Stretch& stretch) {
    const bool read_only = header.p_type == PT_LOAD &&
                           (header.p_flags & PF_W) == 0;
    if (read_only || header.p_type == PT_GNU_RELRO) found.push_back(stretch);
  });
  return found;
}

std::vector<Stretch> variable_memory() {
  std::vector<Stretch> found;
  for_each_segment([&found](const auto& header, const Stretch& stretch) {
    const bool variable = header.p_type == PT_LOAD &&
                          (header.p_flags & PF_W) != 0;
    if (variable) found.push_back(stretch);
  });
  return found;
}

}  // namespace device
