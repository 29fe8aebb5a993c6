# add_chapter(NN_name)
# Builds chapters/NN_name/name.cpp, tests its claims and its output, and every
# exercise: as shipped it must fail its checks, its solution must pass them.
function(add_chapter folder)
  string(REGEX MATCH "^([0-9]+)_(.+)$" matched "${folder}")
  if(NOT matched)
    message(FATAL_ERROR "chapters/${folder}: a chapter's folder is NN_name")
  endif()
  set(number "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}.cpp")

  add_executable(${name} "${source}")
  target_link_libraries(${name} PRIVATE mha mha_warnings)
  use_book_headers(${name})
  set_property(GLOBAL APPEND PROPERTY MHA_PROGRAMS ${name})
  set_property(GLOBAL PROPERTY MHA_CHAPTER_OF_${name} ${folder})

  if(MHA_TESTS)
    add_test(NAME chapter_${number}_claims COMMAND ${name} --test)
    add_test(NAME chapter_${number}_output
      COMMAND "${CMAKE_COMMAND}" -E env --unset=NODE_OPTIONS
        node "${CMAKE_SOURCE_DIR}/tests/output/compare_output.mjs"
        "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/expected.txt" $<TARGET_FILE:${name}>)
    add_exercises(${folder} ${number})
  endif()
endfunction()

function(add_exercises folder number)
  file(GLOB exercises CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/exercises/*.cpp")
  foreach(exercise IN LISTS exercises)
    get_filename_component(stem "${exercise}" NAME_WE)
    set(id "${number}_${stem}")
    set(solution "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/solutions/${stem}.cpp")
    add_exercise_program(exercise_${id} "${exercise}")
    add_exercise_program(solution_${id} "${solution}")
    add_test(NAME exercise_${id}_fails_as_shipped COMMAND exercise_${id})
    set_tests_properties(exercise_${id}_fails_as_shipped PROPERTIES
      PASS_REGULAR_EXPRESSION "test cases:.* [1-9][0-9]* failed")
    add_test(NAME exercise_${id}_solution_passes COMMAND solution_${id})
  endforeach()
endfunction()

function(add_exercise_program target source)
  add_executable(${target} "${source}")
  target_link_libraries(${target} PRIVATE mha mha_exercise_main mha_warnings)
  use_book_headers(${target})
endfunction()

# One compiled set of the heavy headers, shared by every chapter and exercise.
function(use_book_headers target)
  if(NOT TARGET mha_headers)
    file(WRITE "${CMAKE_BINARY_DIR}/headers.cpp" "// Holds the precompiled headers.\n")
    add_library(mha_headers OBJECT "${CMAKE_BINARY_DIR}/headers.cpp")
    target_link_libraries(mha_headers PRIVATE mha mha_warnings)
    target_precompile_headers(mha_headers PRIVATE
      <Eigen/Dense> <doctest/doctest.h> <fmt/format.h> <map> <string> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM mha_headers)
endfunction()

# The list of programs that the weave reads.
function(write_program_list file)
  get_property(programs GLOBAL PROPERTY MHA_PROGRAMS)
  set(rows "")
  foreach(name IN LISTS programs)
    get_property(folder GLOBAL PROPERTY MHA_CHAPTER_OF_${name})
    string(REGEX MATCH "^0*([0-9]+)" matched "${folder}")
    list(APPEND rows "  {\"chapter\": \"${folder}\", \"number\": ${CMAKE_MATCH_1}, \"name\": \"${name}\", \"source\": \"chapters/${folder}/${name}.cpp\", \"executable\": \"$<TARGET_FILE:${name}>\"}")
  endforeach()
  list(JOIN rows ",\n" rows)
  file(GENERATE OUTPUT "${file}" CONTENT "[\n${rows}\n]\n")
endfunction()
