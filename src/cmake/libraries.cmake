# The libraries that the book is built with.
find_or_explain(Eigen3 "libeigen3-dev" 3.4)
find_or_explain(fmt "libfmt-dev" 9)
find_or_explain(doctest "doctest-dev")
find_or_explain(CLI11 "libcli11-dev" 2)
find_or_explain(nlohmann_json "nlohmann-json3-dev" 3)
# Threads for the fused attention, where the compiler has OpenMP.
find_package(OpenMP COMPONENTS CXX QUIET)
if(NOT OpenMP_CXX_FOUND)
  message(STATUS "The fused attention runs on one thread: no OpenMP was found "
    "(Debian and Ubuntu, for clang: apt-get install libomp-dev)")
endif()
