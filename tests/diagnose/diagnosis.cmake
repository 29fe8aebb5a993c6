# What names a bug, and how often it is right.
add_executable(diagnosis_test ../test_main.cpp
  diagnosis_test.cpp predictor_test.cpp reading_test.cpp)
target_link_libraries(diagnosis_test PRIVATE
  mha_diagnosis_of_files nlohmann_json::nlohmann_json mha_warnings)
add_test(NAME diagnosis COMMAND diagnosis_test)

add_executable(diagnosis_study_test ../test_main.cpp diagnosis_study_test.cpp)
target_link_libraries(diagnosis_study_test PRIVATE
  mha_diagnosis mha_warnings)
# The sanitizers and Eigen's checks make each case many times slower.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MHA_SANITIZE)
  set(cases 10000)
else()
  set(cases 300)
endif()
target_compile_definitions(diagnosis_study_test PRIVATE STUDY_CASES=${cases})
add_test(NAME diagnosis_study COMMAND diagnosis_study_test)
set_tests_properties(diagnosis diagnosis_study PROPERTIES TIMEOUT 600)
