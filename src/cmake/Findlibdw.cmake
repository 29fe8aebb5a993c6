# libdw, elfutils' library that reads DWARF, has no configuration file for CMake.
include(find_by_header)
find_by_header(libdw dw elfutils/libdwfl.h)
