# Looks for nvcc: named by CUDACXX, on PATH, or where CUDA is installed. Sets
# MHA_NVCC and MHA_NVCC_HOST (the compiler it calls for the host's part) where
# there is one with the libraries that belong to it.
option(MHA_CUDA "Compile the kernels with nvcc too, where it is found" ON)

if(NOT MHA_CUDA)
  return()
endif()
find_program(MHA_NVCC_FOUND "$ENV{CUDACXX}" nvcc PATHS /usr/local/cuda/bin)
mark_as_advanced(MHA_NVCC_FOUND)
if(NOT MHA_NVCC_FOUND)
  message(STATUS "The kernels are made for the CPU device alone: nvcc was not "
    "found (on PATH, in CUDACXX, in /usr/local/cuda)")
  return()
endif()
cmake_path(GET MHA_NVCC_FOUND PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH CUDAToolkit_ROOT)
find_package(CUDAToolkit QUIET)
if(NOT TARGET CUDA::cudart_static)
  message(STATUS "The kernels are made for the CPU device alone: "
    "${MHA_NVCC_FOUND} has no libcudart_static.a beside it")
  return()
endif()
set(MHA_NVCC "${MHA_NVCC_FOUND}")
set(MHA_NVCC_HOST g++)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(MHA_NVCC_HOST "${CMAKE_CXX_COMPILER}")
endif()
