# Boost.Context by its header and its library: the rest of Boost is not needed,
# nor the configuration files that ask for it.
find_path(BOOST_CONTEXT_HEADERS boost/context/fiber.hpp)
find_library(BOOST_CONTEXT_LIBRARY boost_context)
mark_as_advanced(BOOST_CONTEXT_HEADERS BOOST_CONTEXT_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(boost_context
  REQUIRED_VARS BOOST_CONTEXT_LIBRARY BOOST_CONTEXT_HEADERS)
if(boost_context_FOUND AND NOT TARGET boost_context::boost_context)
  add_library(boost_context::boost_context UNKNOWN IMPORTED GLOBAL)
  set_target_properties(boost_context::boost_context PROPERTIES
    IMPORTED_LOCATION "${BOOST_CONTEXT_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${BOOST_CONTEXT_HEADERS}")
endif()
