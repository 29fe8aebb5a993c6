include(add_exercises)

# add_chapter(NN_name)
# Builds chapters/NN_name/name.cpp with the other .cpp files beside it, tests its
# claims and its output, and adds its exercises. The other files are a library,
# name_parts, for whoever needs them besides; those called *_claims.cpp hold
# nothing but test cases, which nobody calls: they are linked as they are.
# Kernels are in .cu files; those called gpu_*.cu are for nvcc alone.
function(add_chapter folder)
  string(REGEX MATCH "^([0-9]+)_(.+)$" matched "${folder}")
  if(NOT matched)
    message(FATAL_ERROR "chapters/${folder}: a chapter's folder is NN_name")
  endif()
  set(number "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  set(main "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}.cpp")
  file(GLOB others CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  list(REMOVE_ITEM others "${main}")

  set(claims "${others}")
  list(FILTER claims INCLUDE REGEX "_claims\\.cpp$")
  list(FILTER others EXCLUDE REGEX "_claims\\.cpp$")
  add_executable(${name} "${main}" ${claims})
  target_link_libraries(${name} PRIVATE mha mha_warnings)
  use_book_headers(${name})
  if(others)
    add_library(${name}_parts STATIC ${others})
    target_include_directories(${name}_parts PUBLIC
      "${CMAKE_CURRENT_SOURCE_DIR}/${folder}")
    target_link_libraries(${name}_parts PUBLIC mha PRIVATE mha_warnings)
    use_book_headers(${name}_parts)
    add_chapter_kernels(${folder} ${name}_parts)
    target_link_libraries(${name} PRIVATE ${name}_parts)
  endif()
  # What else a chapter needs, if anything.
  include("${CMAKE_CURRENT_SOURCE_DIR}/${folder}/chapter.cmake" OPTIONAL)
  set_property(GLOBAL APPEND PROPERTY MHA_PROGRAMS ${name})
  set_property(GLOBAL PROPERTY MHA_CHAPTER_OF_${name} ${folder})
  if(MHA_IN_PAGE)
    set_property(GLOBAL APPEND PROPERTY MHA_PAGE_PROGRAMS ${name})
  endif()

  if(EMSCRIPTEN)
    add_page_program(${name} ${folder})
    return()
  endif()
  if(MHA_TESTS)
    add_test(NAME chapter_${number}_claims COMMAND ${name} --test)
    add_test(NAME chapter_${number}_output
      COMMAND "${CMAKE_COMMAND}" -E env --unset=NODE_OPTIONS
        node "${CMAKE_SOURCE_DIR}/tests/output/compare_output.mjs"
        "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/expected.txt" $<TARGET_FILE:${name}>)
  endif()
  add_exercises(${folder} ${number} ${name})
endfunction()

function(add_chapter_kernels folder target)
  file(GLOB kernels CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cu")
  set(for_gpu "${kernels}")
  list(FILTER for_gpu INCLUDE REGEX "/gpu_[^/]*$")
  list(FILTER kernels EXCLUDE REGEX "/gpu_[^/]*$")
  if(kernels)
    add_kernels(${target} ${kernels} GPU_ONLY ${for_gpu})
  endif()
endfunction()

# One compiled set of the heavy headers, shared by every chapter and exercise.
function(use_book_headers target)
  if(NOT TARGET mha_headers)
    add_headers(mha_headers mha_warnings)
  endif()
  target_precompile_headers(${target} REUSE_FROM mha_headers)
endfunction()

# Another set, which checks indices and sizes, for the code that readers write.
function(use_checked_headers target)
  set(checks _GLIBCXX_ASSERTIONS)
  if(NOT TARGET mha_checked_headers)
    add_headers(mha_checked_headers mha_reader_warnings
      "${CMAKE_SOURCE_DIR}/src/exercise/eigen_checks.hpp")
    set_target_properties(mha_checked_headers PROPERTIES EXCLUDE_FROM_ALL ON)
    target_compile_definitions(mha_checked_headers PRIVATE ${checks})
  endif()
  target_precompile_headers(${target} REUSE_FROM mha_checked_headers)
  target_compile_definitions(${target} PRIVATE ${checks})
endfunction()

# add_headers(NAME WARNINGS [FIRST...])
function(add_headers name warnings)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/headers.cpp"
    CONTENT "// Holds the precompiled headers.\n")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/headers.cpp")
  target_link_libraries(${name} PRIVATE mha ${warnings})
  target_precompile_headers(${name} PRIVATE ${ARGN}
    <Eigen/Dense> <doctest/doctest.h> <fmt/format.h> <map> <string> <vector>)
endfunction()

# The list of programs that the weave reads.
function(write_program_list file)
  get_property(programs GLOBAL PROPERTY MHA_PROGRAMS)
  get_property(in_page GLOBAL PROPERTY MHA_PAGE_PROGRAMS)
  set(rows "")
  foreach(name IN LISTS programs)
    get_property(folder GLOBAL PROPERTY MHA_CHAPTER_OF_${name})
    string(REGEX MATCH "^0*([0-9]+)" matched "${folder}")
    set(page "")
    if(name IN_LIST in_page)
      set(page ", \"page\": \"${MHA_IN_PAGE}/chapters/${name}.js\"")
      get_property(data GLOBAL PROPERTY MHA_PAGE_DATA_${name})
      if(data)
        string(APPEND page ", \"data\": \"${data}\"")
      endif()
    endif()
    list(APPEND rows "  {\"chapter\": \"${folder}\", \"number\": ${CMAKE_MATCH_1}, \"name\": \"${name}\", \"source\": \"chapters/${folder}/${name}.cpp\", \"executable\": \"$<TARGET_FILE:${name}>\"${page}}")
  endforeach()
  list(JOIN rows ",\n" rows)
  file(GENERATE OUTPUT "${file}" CONTENT "[\n${rows}\n]\n")
endfunction()
