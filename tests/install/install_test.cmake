# Installs the build into an empty prefix; a project that knows only that prefix must then
# configure, build and run, and so must the installed program. Needs: BUILD (the build folder), WORK
# (a folder to use), GENERATOR, COMPILER, FLAGS (those the library was built with, where they must
# match: sanitizers), PROGRAM (path of lacon below the prefix).

function(must_run)
  execute_process(COMMAND ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  list(JOIN ARGN " " line)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${line}\nended with ${status}:\n${output}")
  endif()
  message(STATUS "${line}\n${output}")
endfunction()

file(REMOVE_RECURSE ${WORK})
must_run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(static OFF ON)
  set(stranger ${WORK}/stranger_${static})
  must_run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/stranger -B ${stranger} -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
    -DCMAKE_BUILD_TYPE=Release -DSTATIC=${static})
  must_run(${CMAKE_COMMAND} --build ${stranger})
  must_run(${stranger}/stranger)
endforeach()
must_run(${WORK}/prefix/${PROGRAM} --help)
