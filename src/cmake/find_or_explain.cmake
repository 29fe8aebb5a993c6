# find_or_explain(NAME DEBIAN_PACKAGE [VERSION])
# find_package, with an error that says what to install when it is missing.
macro(find_or_explain name debian_package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} ${ARGN} was not found. Install it "
      "(Debian and Ubuntu: apt-get install ${debian_package}) and configure "
      "again, or run ./mha setup.")
  endif()
endmacro()
