# What every target of the project is compiled with, and the two ways to add one: a room of src/,
# and the tests of a room.

function(lacon_compile_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # False alarms of GCC 12: on std::string (its bugs 105329, 105651), and with sanitizers on
    # std::regex (its bug 105562).
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow)
    if(LACON_SANITIZE)
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # std::stable_sort of libstdc++ 12 calls what the library itself has deprecated.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  if(LACON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(LACON_SANITIZE)
    set(sanitizers -fsanitize=${LACON_SANITIZE})
    if(LACON_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # These check every use of a pointer, for two fifths of the compiler's time. The sanitizer of
      # addresses finds what they find, but for places that are not aligned; x86 takes those.
      list(APPEND sanitizers -fno-sanitize=null,alignment,pointer-overflow)
    endif()
    target_compile_options(${target} PRIVATE
      ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE ${sanitizers})
  endif()
  if(LACON_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# lacon_in_batches(TARGET SIZE): compiles SIZE sources at a time, so that the headers they share
# are read once and a clean build is faster; LACON_UNITY=OFF compiles each source
# by itself, for work on a few files.
function(lacon_in_batches target size)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${LACON_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
  if(LACON_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # In a batch GCC takes every source for a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# lacon_room(NAME SOURCES files... [LIBRARIES targets...] [HEADERS large headers...]): the folder
# src/NAME, compiled into the library lacon. Large outside headers are compiled once for all rooms
# that name the same ones.
function(lacon_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LIBRARIES;HEADERS" ${ARGN})
  string(REPLACE / _ target lacon_${name})
  add_library(${target} OBJECT ${ROOM_SOURCES})
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE fmt::fmt ${ROOM_LIBRARIES})
  lacon_compile_options(${target})
  lacon_in_batches(${target} 12)
  if(ROOM_HEADERS)
    string(MAKE_C_IDENTIFIER "lacon_room_headers_${ROOM_HEADERS}" key)
    get_property(first GLOBAL PROPERTY ${key})
    if(first)
      target_precompile_headers(${target} REUSE_FROM ${first})
    else()
      target_precompile_headers(${target} PRIVATE ${ROOM_HEADERS})
      set_property(GLOBAL PROPERTY ${key} ${target})
    endif()
  endif()
  target_sources(lacon PRIVATE $<TARGET_OBJECTS:${target}>)
  target_sources(lacon_shared PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

# Test programs with the same large headers share them, compiled once for the first of them.
function(lacon_test_headers name headers optimized)
  string(MAKE_C_IDENTIFIER "lacon_headers_${headers}_${optimized}" key)
  get_property(first GLOBAL PROPERTY ${key})
  if(first)
    target_precompile_headers(test_${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(test_${name} PRIVATE <gtest/gtest.h> ${headers})
    set_property(GLOBAL PROPERTY ${key} test_${name})
  endif()
endfunction()

# lacon_cases(NAME [cases...]): the cases of test_NAME are tests of CTest, each by itself. With
# sanitizers each suite is one test, and the `cases` are left out: they take long there, and what
# they run through others of the room run through too.
function(lacon_cases name)
  set(cache ${PROJECT_BINARY_DIR}/cache)
  if(NOT LACON_SANITIZE)
    gtest_discover_tests(test_${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 600 ENVIRONMENT LACON_CACHE_DIR=${cache})
    return()
  endif()
  set(suites ${CMAKE_CURRENT_BINARY_DIR}/test_${name}_suites.cmake)
  add_custom_command(TARGET test_${name} POST_BUILD
    COMMAND ${CMAKE_COMMAND}
      -DPROGRAM=$<TARGET_FILE:test_${name}> -DROOM=${name} -DFILE=${suites} -DCACHE=${cache}
      "-DRELEASE_ONLY=${ARGN}" -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake
    VERBATIM)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/test_${name}_built.cmake
    "if(EXISTS [[${suites}]])\n  include([[${suites}]])\nelse()\n"
    "  add_test(test_${name}_NOT_BUILT test_${name}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
    ${CMAKE_CURRENT_BINARY_DIR}/test_${name}_built.cmake)
endfunction()

# lacon_test(NAME SOURCES files... [LIBRARIES targets...] [HEADERS large header] [OPTIMIZED]
# [RELEASE_ONLY cases...]): one program of GoogleTest cases (lacon_cases). Tests are compiled more
# often than they run, so only those that compute much by themselves are OPTIMIZED.
function(lacon_test name)
  cmake_parse_arguments(TEST
    OPTIMIZED "" "SOURCES;LIBRARIES;HEADERS;RELEASE_ONLY" ${ARGN})
  list(TRANSFORM TEST_SOURCES PREPEND ${name}/)
  add_executable(test_${name} ${TEST_SOURCES})
  target_include_directories(test_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE
    lacon fmt::fmt GTest::gtest GTest::gtest_main ${TEST_LIBRARIES})
  target_compile_definitions(test_${name} PRIVATE
    LACON_SOURCE_DIR="${PROJECT_SOURCE_DIR}" LACON_PROGRAM="$<TARGET_FILE:lacon_program>")
  lacon_compile_options(test_${name})
  lacon_in_batches(test_${name} 8)
  if(LACON_UNITY)
    # A constant of one file and a local of another may have the same name.
    target_compile_options(test_${name} PRIVATE -Wno-shadow)
  endif()
  if(TEST_OPTIMIZED)
    target_compile_options(test_${name} PRIVATE -O1)
  else()
    target_compile_options(test_${name} PRIVATE -O0)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Again std::string, with precompiled headers.
    target_compile_options(test_${name} PRIVATE -Wno-array-bounds)
  endif()
  lacon_test_headers(${name} "${TEST_HEADERS}" "${TEST_OPTIMIZED}")
  lacon_cases(${name} ${TEST_RELEASE_ONLY})
endfunction()
