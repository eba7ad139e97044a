# Builds the pages. Where the libraries cannot be fetched (no network), says so and leaves
# no pages: the program is built without it.
set(installed ${WEB}/node_modules/.package-lock.json)
if(NOT EXISTS ${installed} OR ${WEB}/package-lock.json IS_NEWER_THAN ${installed})
  execute_process(
    COMMAND ${NPM} ci --no-fund --no-audit --ignore-scripts
    WORKING_DIRECTORY ${WEB}
    RESULT_VARIABLE failed
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  if(failed)
    message(WARNING "npm ci failed, so lacon will make no pages:\n${said}")
    return()
  endif()
  file(TOUCH ${installed})
endif()
execute_process(COMMAND ${NODE} ${WEB}/build.mjs ${PAGES} WORKING_DIRECTORY ${WEB}
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the pages could not be built")
endif()
