# What an example prints is, word for word, what stands beside it.
file(READ ${EXPECTED} expected)
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the example failed (${status}): ${output}")
endif()
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the example printed:\n${output}and not what is in ${EXPECTED}")
endif()
