option(MHA_EXERCISE_TESTS "Build and test every exercise and its solution" ON)

# add_exercises(folder number program)
# An exercise is three files of one name: exercises/K_name.cpp is what the
# reader gets, solutions/K_name.cpp solves it, checks/K_name.cpp holds the
# checks that both are held to. As shipped, the exercise must fail the check
# that its comment names; the solution must pass them all. The reader's own
# copy, if there is one, becomes the target my_NN_K_name.
function(add_exercises folder number program)
  set(chapter "${CMAKE_CURRENT_SOURCE_DIR}/${folder}")
  file(GLOB files CONFIGURE_DEPENDS RELATIVE "${chapter}" "${chapter}/exercises/*.cpp"
    "${chapter}/solutions/*.cpp" "${chapter}/checks/*.cpp")
  list(TRANSFORM files REPLACE "^.*/(.*)[.]cpp$" "\\1" OUTPUT_VARIABLE stems)
  list(REMOVE_DUPLICATES stems)
  foreach(stem IN LISTS stems)
    foreach(part exercises solutions checks)
      if(NOT "${part}/${stem}.cpp" IN_LIST files)
        message(FATAL_ERROR "chapters/${folder}/${part}/${stem}.cpp is missing; "
          "an exercise has a file of that name in exercises, solutions and checks")
      endif()
    endforeach()
    read_exercise("${chapter}/exercises/${stem}.cpp")
    set(id ${number}_${stem})
    add_library(check_${id} OBJECT EXCLUDE_FROM_ALL
      "${chapter}/checks/${stem}.cpp")
    target_link_libraries(check_${id} PRIVATE mha_exercise mha_warnings)
    file(STRINGS "${chapter}/checks/${stem}.cpp" kernels
      REGEX "^#include \"exercise/device_exercise")
    if(kernels)
      target_link_libraries(check_${id} PRIVATE mha_device)
    endif()
    use_book_headers(check_${id})
    if(EXERCISE_KIND STREQUAL "predict")
      write_values(${folder} ${program})
      add_dependencies(check_${id} values_${program})
    endif()
    add_my_program(${id})
    if(MHA_TESTS AND MHA_EXERCISE_TESTS)
      test_exercise(${chapter} ${stem} ${id} "${EXERCISE_CHECK}")
    endif()
  endforeach()
endfunction()

# The reader's copy: named exactly, so that whatever else lies in my/ is left
# alone.
function(add_my_program id)
  file(GLOB mine CONFIGURE_DEPENDS LIST_DIRECTORIES false
    "${CMAKE_SOURCE_DIR}/my/${id}.cpp")
  if(mine)
    add_exercise_program(my_${id} "${mine}" check_${id} mha_reader_warnings)
    use_checked_headers(my_${id})
    set_target_properties(my_${id} PROPERTIES EXCLUDE_FROM_ALL ON
      RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/my")
  endif()
endfunction()

function(test_exercise chapter stem id check)
  foreach(kind exercise solution)
    add_exercise_program(${kind}_${id} "${chapter}/${kind}s/${stem}.cpp" check_${id}
      mha_warnings)
    use_book_headers(${kind}_${id})
  endforeach()
  add_test(NAME exercise_${id}_fails_as_shipped
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:exercise_${id}>"
      "-DCHECK=${check}" -P "${CMAKE_SOURCE_DIR}/src/cmake/expect_failed_check.cmake")
  add_test(NAME exercise_${id}_solution_passes COMMAND solution_${id})
  set_tests_properties(exercise_${id}_fails_as_shipped exercise_${id}_solution_passes
    PROPERTIES TIMEOUT 60)
endfunction()

# A reader's file with the checks. Half-written code may leave a parameter of
# its function unused. A file with kernels is compiled as kernels are.
function(add_exercise_program target source check warnings)
  add_executable(${target} "${source}")
  target_link_libraries(${target} PRIVATE ${check} mha_exercise ${warnings})
  # Per source, so that it stands after -Wextra.
  file(STRINGS "${source}" kernels REGEX "^#include \"exercise/device_exercise")
  if(kernels)
    target_compile_options(${target} PRIVATE ${MHA_KERNEL_OPTIONS})
    set_source_files_properties("${source}" PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON)
    target_link_libraries(${target} PRIVATE mha_device)
  endif()
  set_source_files_properties("${source}" PROPERTIES
    COMPILE_OPTIONS -Wno-unused-parameter)
endfunction()

# Reads the comment at the head of an exercise (docs/architecture.md), and sets
# EXERCISE_KIND and EXERCISE_CHECK.
function(read_exercise file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  foreach(field kind difficulty section check hint)
    file(STRINGS "${file}" lines REGEX "^// ${field}: .")
    if(NOT lines)
      message(FATAL_ERROR "${file}: the comment at its head has no line "
        "\"// ${field}: ...\"; docs/architecture.md says what belongs there")
    endif()
    string(TOUPPER ${field} name)
    string(REGEX REPLACE "^// ${field}: " "" EXERCISE_${name} "${lines}")
  endforeach()
  set(EXERCISE_KIND "${EXERCISE_KIND}" PARENT_SCOPE)
  set(EXERCISE_CHECK "${EXERCISE_CHECK}" PARENT_SCOPE)
endfunction()

# build/<preset>/values/NN_name.json: the numbers that the program computes.
function(write_values folder program)
  if(TARGET values_${program})
    return()
  endif()
  set(file "${CMAKE_BINARY_DIR}/values/${folder}.json")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/values")
  add_custom_command(OUTPUT "${file}"
    COMMAND ${program} --values "${file}" DEPENDS ${program} VERBATIM)
  add_custom_target(values_${program} DEPENDS "${file}")
endfunction()
