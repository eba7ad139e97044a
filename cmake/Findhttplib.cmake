# Debian's cpp-httplib is a compiled library without a CMake package: finds it by its header and
# library, as the target httplib::httplib. Its structures have the members that these definitions
# bring, so whoever includes the header needs them too. Without the library the header is enough.
find_path(httplib_INCLUDE_DIR httplib.h)
find_library(httplib_LIBRARY cpp-httplib)
mark_as_advanced(httplib_INCLUDE_DIR httplib_LIBRARY)
if(httplib_INCLUDE_DIR)
  file(STRINGS ${httplib_INCLUDE_DIR}/httplib.h httplib_VERSION
    REGEX "#define CPPHTTPLIB_VERSION ")
  string(REGEX REPLACE "[^0-9.]" "" httplib_VERSION "${httplib_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(httplib
  REQUIRED_VARS httplib_INCLUDE_DIR
  VERSION_VAR httplib_VERSION)
if(httplib_FOUND AND NOT TARGET httplib::httplib)
  add_library(httplib::httplib INTERFACE IMPORTED)
  set_target_properties(httplib::httplib PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${httplib_INCLUDE_DIR})
  if(httplib_LIBRARY)
    set_target_properties(httplib::httplib PROPERTIES
      INTERFACE_LINK_LIBRARIES ${httplib_LIBRARY}
      INTERFACE_COMPILE_DEFINITIONS
        "CPPHTTPLIB_OPENSSL_SUPPORT;CPPHTTPLIB_ZLIB_SUPPORT;CPPHTTPLIB_BROTLI_SUPPORT")
  endif()
endif()
