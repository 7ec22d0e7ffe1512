# Compiles a host in C with all warnings as errors, and runs it in an empty directory.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${CC} -std=c99 -Wall -Wextra -Wpedantic -Werror -I${INCLUDE} ${SOURCE}
    ${LIBRARY} -o ${WORK}/host -lpthread
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the host does not compile")
endif()
cmake_path(GET LIBRARY PARENT_PATH libraries)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${WORK}/host
  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the host failed: ${failed}")
endif()
