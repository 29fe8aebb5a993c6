# libzip by its header and its library. The package's own configuration file
# insists on libzip's command-line programs (Debian's ziptool), which nobody
# needs here.
find_path(LIBZIP_HEADERS zip.h)
find_library(LIBZIP_LIBRARY zip)
mark_as_advanced(LIBZIP_HEADERS LIBZIP_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libzip REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_HEADERS)
if(libzip_FOUND AND NOT TARGET libzip::zip)
  add_library(libzip::zip UNKNOWN IMPORTED GLOBAL)
  set_target_properties(libzip::zip PROPERTIES
    IMPORTED_LOCATION "${LIBZIP_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LIBZIP_HEADERS}")
endif()
