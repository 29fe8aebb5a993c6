# The chapters' programs for the book's pages, made by Emscripten's compiler
# where there is one, in a build of their own. Sets MHA_IN_PAGE, its folder.
option(MHA_IN_BROWSER "Make the programs run in the book's pages, too" ON)
if(NOT MHA_BOOK OR NOT MHA_IN_BROWSER)
  return()
endif()
find_program(MHA_EMXX em++)
mark_as_advanced(MHA_EMXX)
if(NOT MHA_EMXX)
  message(STATUS "The programs will not run in the book's pages: em++ was not "
    "found (Debian and Ubuntu: apt-get install emscripten)")
  return()
endif()
file(REAL_PATH "${MHA_EMXX}" compiler)
cmake_path(GET compiler PARENT_PATH compiler)
set(MHA_IN_PAGE "${CMAKE_BINARY_DIR}/in_page")

# add_page_programs()
# The target page_programs, once all chapters are known.
function(add_page_programs)
  get_property(programs GLOBAL PROPERTY MHA_PAGE_PROGRAMS)
  # Debian's Emscripten needs modules of Node's that lie there.
  set(emscripten "${CMAKE_COMMAND}" -E env "NODE_PATH=/usr/share/nodejs")
  add_custom_command(OUTPUT "${MHA_IN_PAGE}/build.ninja"
    COMMAND ${emscripten} "${CMAKE_COMMAND}" -S "${CMAKE_SOURCE_DIR}"
      -B "${MHA_IN_PAGE}" -G Ninja -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"
      "-DCMAKE_TOOLCHAIN_FILE=${compiler}/cmake/Modules/Platform/Emscripten.cmake"
      -DMHA_BOOK=OFF -DMHA_TESTS=OFF -DMHA_DIAGNOSE=OFF -DMHA_BENCH=OFF
    COMMENT "Configuring the programs for the page" VERBATIM)
  list(TRANSFORM programs REPLACE "(.+)" "${MHA_IN_PAGE}/chapters/\\1.js"
    OUTPUT_VARIABLE files)
  set_property(GLOBAL PROPERTY MHA_PAGE_FILES ${files})
  set(tests "")
  if(MHA_TESTS)
    set(tests device_test)
  endif()
  # Which of their sources have changed is known to that build alone. It comes
  # after the programs themselves, since it takes every core, too.
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  add_custom_target(page_programs
    COMMAND ${emscripten} "${CMAKE_COMMAND}" --build "${MHA_IN_PAGE}"
      --parallel ${cores} --target ${programs} ${tests}
    DEPENDS "${MHA_IN_PAGE}/build.ninja" BYPRODUCTS ${files}
    COMMENT "Building the programs for the page" USES_TERMINAL VERBATIM)
  add_dependencies(page_programs ${programs})
endfunction()
