# `cmake --install`, and what find_package(lacon) finds.

include(CMakePackageConfigHelpers)
install(TARGETS lacon lacon_shared EXPORT lacon-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS lacon_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lacon_codegen LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lacon)
install(DIRECTORY include/lacon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/lacon)
install(EXPORT lacon-targets NAMESPACE lacon:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lacon)
configure_package_config_file(cmake/lacon-config.cmake.in lacon-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lacon)
write_basic_package_version_file(lacon-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/lacon-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/lacon-config-version.cmake
  cmake/FindMETIS.cmake cmake/FindMPFR.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lacon)
