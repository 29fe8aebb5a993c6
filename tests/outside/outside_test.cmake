# Installs the library into FOLDER, builds the project outside with it, and runs
# its two programs:
#   cmake -DBUILD=... -DFOLDER=... -DCXX=... -P outside_test.cmake
function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL expected)
    message(FATAL_ERROR "${ARGN}\nexited with ${status}, expected "
      "${expected}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
run(0 "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${FOLDER}/installed"
  --component library)
run(0 "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${FOLDER}/build"
  -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Release
  "-DCMAKE_PREFIX_PATH=${FOLDER}/installed")
run(0 "${CMAKE_COMMAND}" --build "${FOLDER}/build")
run(0 "${FOLDER}/build/with_doctest")
run(0 "${FOLDER}/build/plain_main")
run(1 "${FOLDER}/build/plain_main" wrong)
if(NOT output MATCHES
    "FAILED it equals the loop over heads, with sizes that all differ")
  message(FATAL_ERROR "the wrong attention was told:\n${output}")
endif()
