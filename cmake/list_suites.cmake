# Run after a test program of GoogleTest is built: makes one test of CTest of each suite, in the
# file that CTest reads. Starting a program with sanitizers, and looking for leaks at its end, takes
# longer than most cases run.
#
# PROGRAM: the test program. ROOM: what it tests, so that suites of two rooms may have one name.
# FILE: what is written. CACHE: LACON_CACHE_DIR of the tests. RELEASE_ONLY: the cases that are left
# out; one that there is not is an error, as it tells of a list that is out of date.

cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} --gtest_list_tests
  OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
# `Suite.` on a line, then its cases, indented; behind a # the parameter, which may have any text.
string(REGEX REPLACE "[^\n]*Running main[^\n]*\n" "" listed "${listed}")
string(REGEX REPLACE " *#[^\n]*" "" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")

set(suites)
set(left_out)
foreach(line IN LISTS listed)
  if(line MATCHES "^  (.+)$")
    if("${suite}.${CMAKE_MATCH_1}" IN_LIST RELEASE_ONLY)
      list(APPEND left_out "${suite}.${CMAKE_MATCH_1}")
    else()
      list(APPEND suites ${suite})
    endif()
  elseif(line MATCHES "^(.+)\\.$")
    set(suite ${CMAKE_MATCH_1})
  endif()
endforeach()

list(REMOVE_ITEM RELEASE_ONLY ${left_out})
if(RELEASE_ONLY)
  message(FATAL_ERROR "test_${ROOM} has no case ${RELEASE_ONLY}: mend its RELEASE_ONLY")
endif()

string(REPLACE ";" ":" left_out "${left_out}")
list(REMOVE_DUPLICATES suites)
set(text)
foreach(suite IN LISTS suites)
  string(APPEND text
    "add_test([[${ROOM}/${suite}]] [[${PROGRAM}]] [[--gtest_filter=${suite}.*-${left_out}]])\n"
    "set_tests_properties([[${ROOM}/${suite}]] PROPERTIES TIMEOUT 1200"
    " ENVIRONMENT [[LACON_CACHE_DIR=${CACHE}]])\n")
endforeach()
file(WRITE ${FILE} "${text}")
