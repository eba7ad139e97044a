# METIS has no CMake package of its own: finds it by its header and library, as the target
# METIS::METIS.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY)
if(METIS_INCLUDE_DIR)
  file(STRINGS ${METIS_INCLUDE_DIR}/metis.h metis_versions
    REGEX "#define METIS_VER_(MAJOR|MINOR|SUBMINOR)")
  string(REGEX REPLACE "[^0-9;]" "" METIS_VERSION "${metis_versions}")
  string(REPLACE ";" "." METIS_VERSION "${METIS_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS
  REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR
  VERSION_VAR METIS_VERSION)
if(METIS_FOUND AND NOT TARGET METIS::METIS)
  add_library(METIS::METIS UNKNOWN IMPORTED)
  set_target_properties(METIS::METIS PROPERTIES
    IMPORTED_LOCATION ${METIS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${METIS_INCLUDE_DIR})
endif()
