# Installs mha_attention, so that another project can say
#   find_package(many_heads REQUIRED)
#   target_link_libraries(my_test PRIVATE many_heads::many_heads)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/many_heads")
set_target_properties(mha_attention PROPERTIES
  EXPORT_NAME many_heads OUTPUT_NAME many_heads)
install(TARGETS mha_attention EXPORT many_heads COMPONENT library
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES attention.hpp attention_call.hpp battery.hpp cache_checks.hpp
  counted_memory.hpp fused_block.hpp fused_forward.hpp generator.hpp
  group_kernel.hpp grouped_attention.hpp kv_cache.hpp layer.hpp
  layer_checks.hpp matrix.hpp measure.hpp
  pointer_attention.hpp strided.hpp vector_widths.hpp
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mha" COMPONENT library)
install(EXPORT many_heads NAMESPACE many_heads::
  DESTINATION "${package_folder}" COMPONENT library)

set(MHA_USES_OPENMP "${OpenMP_CXX_FOUND}")
configure_file("${CMAKE_SOURCE_DIR}/src/cmake/many_heads-config.cmake.in"
  "${CMAKE_BINARY_DIR}/many_heads-config.cmake" @ONLY)
write_basic_package_version_file(
  "${CMAKE_BINARY_DIR}/many_heads-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/many_heads-config.cmake"
  "${CMAKE_BINARY_DIR}/many_heads-config-version.cmake"
  DESTINATION "${package_folder}" COMPONENT library)
