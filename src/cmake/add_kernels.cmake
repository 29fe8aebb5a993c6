# add_kernels(TARGET file.cu... [GPU_ONLY file.cu...])
# Adds files of CUDA kernels to a target: compiled for the CPU device, and once
# more by nvcc where it is found. With nvcc the target's sources see MHA_GPU.
# Those after GPU_ONLY are for nvcc alone.
function(add_kernels target)
  cmake_parse_arguments(KERNELS "" "" "GPU_ONLY" ${ARGN})
  set(files ${KERNELS_UNPARSED_ARGUMENTS})
  add_cpu_kernels(${target} ${files})
  # clang leaves copies of whole structures to these, and no hook sees them.
  if(NOT EMSCRIPTEN)
    target_link_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:Clang>:-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset>)
  endif()
  target_link_libraries(${target} PUBLIC mha_device)
  if(MHA_NVCC)
    foreach(file IN LISTS files KERNELS_GPU_ONLY)
      add_gpu_kernel(${target} "${file}")
    endforeach()
    target_compile_definitions(${target} PUBLIC MHA_GPU)
    target_link_libraries(${target} PUBLIC CUDA::cudart_static)
  endif()
endfunction()

# What makes every access to memory call a hook: the thread sanitizer's calls,
# without its library. Little optimised, so that the accesses are those of the
# source; and no other sanitizer stands between.
set(MHA_KERNEL_OPTIONS -O1 -g -fno-optimize-sibling-calls
  -Wno-unknown-pragmas -Wframe-larger-than=65536)
if(EMSCRIPTEN)
  # It has no such library, so only its inner part takes the option.
  list(APPEND MHA_KERNEL_OPTIONS "SHELL:-Xclang -fsanitize=thread")
else()
  list(APPEND MHA_KERNEL_OPTIONS -fno-sanitize=all -fsanitize=thread
    -fstack-clash-protection)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND MHA_KERNEL_OPTIONS --param=tsan-instrument-func-entry-exit=0)
else()
  list(APPEND MHA_KERNEL_OPTIONS -Wno-pass-failed
    "SHELL:-mllvm -tsan-instrument-func-entry-exit=0"
    "SHELL:-mllvm -tsan-instrument-read-before-write=1")
endif()

function(add_cpu_kernels target)
  set(objects ${target}_cpu_kernels)
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  target_link_libraries(${objects} PRIVATE mha_device mha_warnings)
  target_compile_options(${objects} PRIVATE ${MHA_KERNEL_OPTIONS})
  if(EMSCRIPTEN)
    set(marks "${CMAKE_SOURCE_DIR}/src/device/mark_sites.mjs")
    set_target_properties(${objects} PROPERTIES
      CXX_COMPILER_LAUNCHER "node;${marks}")
    set_source_files_properties(${ARGN} PROPERTIES OBJECT_DEPENDS "${marks}")
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()

# By nvcc, for the architectures that the book names. What spills registers, or
# indexes an array in a way that no register can be, is not taken. The PTX is
# left as text, which the tests read.
function(add_gpu_kernel target file)
  cmake_path(ABSOLUTE_PATH file)
  cmake_path(GET file STEM stem)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}_${stem}_gpu.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND "${MHA_NVCC}" -std=c++20 -O3 -lineinfo -no-compress
      -Werror all-warnings
      -Xptxas -warn-lmem-usage,-warn-spills,-Werror
      -ccbin "${MHA_NVCC_HOST}"
      -gencode arch=compute_80,code=sm_80
      -gencode arch=compute_90,code=[sm_90,compute_90]
      -Xcompiler=-Wall,-Wextra
      -I "${CMAKE_SOURCE_DIR}/src" -MD -MF "${object}.d" -MT "${object}"
      -c "${file}" -o "${object}"
    DEPENDS "${file}" DEPFILE "${object}.d" VERBATIM
    COMMENT "Compiling ${stem}.cu with nvcc")
  set_source_files_properties("${object}" PROPERTIES
    EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE "${object}")
endfunction()
