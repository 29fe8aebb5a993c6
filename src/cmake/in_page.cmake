# How the chapters' programs are compiled to WebAssembly, to run in the book's
# pages. Read when Emscripten's compiler is at work.

# use_headers(TARGET HEADER)
# Makes TARGET from a library that is headers alone: their folder is found where
# this machine has it, and linked to from a folder of our own, for beside it may
# lie headers of this machine's system, which are not WebAssembly's.
function(use_headers target header)
  cmake_path(GET header PARENT_PATH folder)
  find_path(MHA_PLACE_OF_${folder} ${header} PATH_SUFFIXES eigen3
    PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  mark_as_advanced(MHA_PLACE_OF_${folder})
  set(links "${CMAKE_BINARY_DIR}/headers")
  file(MAKE_DIRECTORY "${links}")
  file(CREATE_LINK "${MHA_PLACE_OF_${folder}}/${folder}" "${links}/${folder}"
    SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${links}")
endfunction()

use_headers(Eigen3::Eigen Eigen/Core)
use_headers(fmt::fmt fmt/format.h)
use_headers(doctest::doctest doctest/doctest.h)
use_headers(CLI11::CLI11 CLI/CLI.hpp)
use_headers(nlohmann_json::nlohmann_json nlohmann/json.hpp)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
# An address has 32 bits there; sizes keep their 64.
target_compile_definitions(Eigen3::Eigen INTERFACE
  "EIGEN_DEFAULT_DENSE_INDEX_TYPE=long long")

add_compile_options(-msimd128 -fwasm-exceptions)

# add_page_program(NAME FOLDER)
# One file of JavaScript with the program in it: a function that makes a fresh
# program, to be called with its arguments, in a worker.
function(add_page_program name folder)
  # A file that the program reads beside its source is packed into it.
  file(GLOB beside CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.json")
  foreach(file IN LISTS beside)
    target_link_options(${name} PRIVATE "--embed-file=${file}@${file}")
  endforeach()
  target_link_options(${name} PRIVATE -O2 -fwasm-exceptions
    -sSINGLE_FILE=1 -sMODULARIZE=1 -sEXPORT_NAME=createProgram
    -sENVIRONMENT=worker -sINVOKE_RUN=0 -sEXIT_RUNTIME=1
    -sEXPORTED_RUNTIME_METHODS=callMain,FS -sFORCE_FILESYSTEM=1
    -sALLOW_MEMORY_GROWTH=1)
endfunction()
