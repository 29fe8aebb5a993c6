# cmake -DPROGRAM=... -DCHECK=... -P expect_failed_check.cmake
# Runs an exercise as shipped. It must run to its end and fail the check of that
# name: a crash or an exception would fail for another reason than it should.
execute_process(COMMAND "${PROGRAM}"
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(NOT status STREQUAL "1")
  message(FATAL_ERROR "${PROGRAM} ended with \"${status}\"; as shipped an "
    "exercise fails its checks, with status 1")
endif()
string(FIND "\n${output}" "\nFAILED  ${CHECK}\n" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${PROGRAM} did not fail the check that the exercise "
    "names: ${CHECK}")
endif()
string(FIND "${output}" "        stopped by an exception" stopped)
if(NOT stopped EQUAL -1)
  message(FATAL_ERROR "${PROGRAM} was stopped by an exception; as shipped an "
    "exercise fails because its answer is wrong")
endif()
