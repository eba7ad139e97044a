# MPFR has no CMake package of its own: finds it by its header and library, as the target
# MPFR::MPFR.
find_path(MPFR_INCLUDE_DIR mpfr.h)
find_library(MPFR_LIBRARY mpfr)
mark_as_advanced(MPFR_INCLUDE_DIR MPFR_LIBRARY)
if(MPFR_INCLUDE_DIR)
  file(STRINGS ${MPFR_INCLUDE_DIR}/mpfr.h MPFR_VERSION REGEX "#define MPFR_VERSION_STRING ")
  string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" MPFR_VERSION "${MPFR_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MPFR
  REQUIRED_VARS MPFR_LIBRARY MPFR_INCLUDE_DIR
  VERSION_VAR MPFR_VERSION)
if(MPFR_FOUND AND NOT TARGET MPFR::MPFR)
  add_library(MPFR::MPFR UNKNOWN IMPORTED)
  set_target_properties(MPFR::MPFR PROPERTIES
    IMPORTED_LOCATION ${MPFR_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${MPFR_INCLUDE_DIR})
endif()
