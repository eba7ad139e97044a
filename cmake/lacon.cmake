# What every target of the project is compiled with, and the two ways to add one: a room of src/, and the tests of a room.

function(lacon_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # False alarms of GCC 12: on std::string (its bug 105651), and with sanitizers on std::regex (its bug 105562).
    target_compile_options(${target} PRIVATE -Wno-restrict $<$<BOOL:${LACON_SANITIZE}>:-Wno-maybe-uninitialized>)
  endif()
  if(LACON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(LACON_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  if(LACON_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# lacon_room(NAME SOURCES files... [LIBRARIES targets...] [HEADERS large headers...]): a folder of src/, compiled into the
# library lacon. Large outside headers are compiled once for the room.
function(lacon_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LIBRARIES;HEADERS" ${ARGN})
  list(TRANSFORM ROOM_SOURCES PREPEND ${name}/)
  add_library(lacon_${name} OBJECT ${ROOM_SOURCES})
  target_include_directories(lacon_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(lacon_${name} PRIVATE fmt::fmt ${ROOM_LIBRARIES})
  lacon_compile_options(lacon_${name})
  if(ROOM_HEADERS)
    target_precompile_headers(lacon_${name} PRIVATE ${ROOM_HEADERS})
  endif()
  target_sources(lacon PRIVATE $<TARGET_OBJECTS:lacon_${name}>)
endfunction()

# lacon_test(NAME SOURCES files... [LIBRARIES targets...] [HEADERS large headers...]): one program of GoogleTest cases, each a
# test of CTest.
function(lacon_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES;HEADERS" ${ARGN})
  list(TRANSFORM TEST_SOURCES PREPEND ${name}/)
  add_executable(test_${name} ${TEST_SOURCES})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE lacon fmt::fmt GTest::gtest GTest::gtest_main ${TEST_LIBRARIES})
  target_compile_definitions(test_${name} PRIVATE LACON_SOURCE_DIR="${PROJECT_SOURCE_DIR}" LACON_PROGRAM="$<TARGET_FILE:lacon_program>")
  lacon_compile_options(test_${name})
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # they are compiled more often than they run
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(test_${name} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)  # again std::string, with precompiled headers
  endif()
  target_precompile_headers(test_${name} PRIVATE <gtest/gtest.h> ${TEST_HEADERS})
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 ENVIRONMENT LACON_CACHE_DIR=${PROJECT_BINARY_DIR}/cache)
endfunction()
