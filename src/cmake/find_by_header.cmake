include(FindPackageHandleStandardArgs)

# find_by_header(PACKAGE LIBRARY HEADER)
# What a FindPACKAGE.cmake does for a library that is known by a header and a
# file alone: sets PACKAGE_FOUND and makes the target PACKAGE::LIBRARY.
macro(find_by_header package library header)
  find_path(${package}_HEADERS ${header})
  find_library(${package}_LIBRARY ${library})
  mark_as_advanced(${package}_HEADERS ${package}_LIBRARY)
  find_package_handle_standard_args(${package}
    REQUIRED_VARS ${package}_LIBRARY ${package}_HEADERS)
  if(${package}_FOUND AND NOT TARGET ${package}::${library})
    add_library(${package}::${library} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${package}::${library} PROPERTIES
      IMPORTED_LOCATION "${${package}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${${package}_HEADERS}")
  endif()
endmacro()
