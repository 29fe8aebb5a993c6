include(CheckCXXCompilerFlag)

# What a compiler is told for vectors of 8 and of 16 floats; vector_widths.cpp
# asks the machine for the same. Few AVX-512 machines lack what follows its F.
set(MHA_8_LANES -mavx2 -mfma)
set(MHA_16_LANES -mavx512f -mavx512vl -mavx512dq -mavx512bw ${MHA_8_LANES})

# add_wide_objects(TARGET FILE [LIBRARY...])
# Compiles FILE, which TARGET has for any machine, once more for each wider kind
# of vectors, with MHA_LANES set to the floats in one. Which of them a machine
# can run is found out at run time: FILE shares no inline code with any other,
# so nothing wide is linked where something narrow was meant. TARGET is compiled
# with MHA_X86_WIDTHS where the wider ones are there. The libraries are those
# whose headers FILE includes.
function(add_wide_objects target file)
  list(JOIN MHA_16_LANES " " flags)
  check_cxx_compiler_flag("${flags}" MHA_HAS_X86_WIDTHS)
  if(NOT MHA_HAS_X86_WIDTHS OR
      NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    return()
  endif()
  cmake_path(GET file STEM stem)
  foreach(lanes 8 16)
    set(objects ${stem}_${lanes})
    add_library(${objects} OBJECT ${file})
    target_include_directories(${objects} PRIVATE "${CMAKE_SOURCE_DIR}/src")
    target_compile_definitions(${objects} PRIVATE MHA_LANES=${lanes})
    target_compile_options(${objects} PRIVATE ${MHA_${lanes}_LANES})
    target_link_libraries(${objects} PRIVATE mha_warnings ${ARGN})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
  target_compile_definitions(${target} PRIVATE MHA_X86_WIDTHS)
endfunction()
