# Installs BUILD into an empty prefix, builds HOST against that prefix alone, and runs what it built.
cmake_policy(VERSION 3.25)

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run("cmake --install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file IN ITEMS include/mneme/engine.hpp bin/mneme bin/mneme-verify-proof
    share/doc/mneme/LICENSE share/doc/mneme/LICENSES.md)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
file(GLOB_RECURSE private ${prefix}/include/*.hpp)
list(FILTER private EXCLUDE REGEX "/include/mneme/[a-z_]+\\.hpp$")
if(private)
  message(FATAL_ERROR "private headers were installed: ${private}")
endif()

run("configuring the host" ${CMAKE_COMMAND} -S ${HOST} -B ${WORK}/build -G Ninja
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${FLAGS}
  -D CAF_INCLUDE_DIR=${CAF_INCLUDE_DIR} -D CAF_CORE_LIBRARY=${CAF_CORE_LIBRARY})
run("building the host" ${CMAKE_COMMAND} --build ${WORK}/build)
foreach(program IN ITEMS facade caf_host verifier)
  run("running ${program}" ${WORK}/build/${program})
  if(NOT output MATCHES "^${program}: ok")
    message(FATAL_ERROR "${program} said: ${output}")
  endif()
endforeach()
run("mneme --version" ${prefix}/bin/mneme --version)
