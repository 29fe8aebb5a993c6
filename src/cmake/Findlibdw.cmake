# libdw, elfutils' library that reads DWARF, by its headers and its library: it
# has no configuration file for CMake.
find_path(LIBDW_HEADERS elfutils/libdwfl.h)
find_library(LIBDW_LIBRARY dw)
mark_as_advanced(LIBDW_HEADERS LIBDW_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libdw REQUIRED_VARS LIBDW_LIBRARY LIBDW_HEADERS)
if(libdw_FOUND AND NOT TARGET libdw::libdw)
  add_library(libdw::libdw UNKNOWN IMPORTED GLOBAL)
  set_target_properties(libdw::libdw PROPERTIES
    IMPORTED_LOCATION "${LIBDW_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LIBDW_HEADERS}")
endif()
