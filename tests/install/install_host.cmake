# Installs BUILD into an empty prefix, builds HOST and REMOTE_HOST against that prefix alone, and runs
# what it built.
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

# build_host(NAME SOURCE PROGRAMS...): builds SOURCE in WORK/NAME, more arguments of cmake in
# host_options, and runs the programs.
function(build_host name source)
  run("configuring ${name}" ${CMAKE_COMMAND} -S ${source} -B ${WORK}/${name} -G Ninja
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${FLAGS}
    -D CAF_INCLUDE_DIR=${CAF_INCLUDE_DIR} -D CAF_CORE_LIBRARY=${CAF_CORE_LIBRARY} ${host_options})
  run("building ${name}" ${CMAKE_COMMAND} --build ${WORK}/${name})
  foreach(program IN LISTS ARGN)
    run("running ${program}" ${WORK}/${name}/${program})
    if(NOT output MATCHES "^${program}: ok")
      message(FATAL_ERROR "${program} said: ${output}")
    endif()
  endforeach()
endfunction()

# needs(NAME PROGRAM LIBRARY): whether a program is linked to a shared library.
function(needs result program library)
  run("readelf" readelf -d ${WORK}/${program})
  string(FIND "${output}" "[${library}." at)
  if(at EQUAL -1)
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# A host that asks no endpoint and has no log in PostgreSQL is built where libcurl and libpq are not, and is
# linked to neither.
set(host_options -D CMAKE_DISABLE_FIND_PACKAGE_CURL=ON -D CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL=ON)
build_host(host ${HOST} facade caf_host verifier)
set(host_options "")
build_host(remote_host ${REMOTE_HOST} remote)
foreach(program IN ITEMS host/facade host/caf_host host/verifier remote_host/remote)
  needs(has_curl ${program} libcurl.so)
  needs(has_pq ${program} libpq.so)
  if(has_pq)
    message(FATAL_ERROR "${program} is linked to libpq")
  endif()
  if((program STREQUAL "remote_host/remote") AND NOT has_curl)
    message(FATAL_ERROR "${program} is not linked to libcurl")
  elseif(NOT (program STREQUAL "remote_host/remote") AND has_curl)
    message(FATAL_ERROR "${program} is linked to libcurl")
  endif()
endforeach()
needs(has_store host/verifier libwiredtiger.so)
if(has_store)
  message(FATAL_ERROR "the verifier is linked to WiredTiger")
endif()
run("mneme --version" ${prefix}/bin/mneme --version)
