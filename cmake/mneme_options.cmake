# Flags of our own targets: the language, warnings as errors, sanitizers, reproducible floats.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# What was compiled before, here or in another checkout, is not compiled again.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
    CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${CMAKE_CURRENT_LIST_DIR}/compile_cached)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess) # ccache sees through a precompiled header
  endif()
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(mneme_flags INTERFACE)
# -ffp-contract=off: the same sums on every compiler and machine.
target_compile_options(mneme_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Werror
  -ffp-contract=off)
if(NOT CMAKE_UNITY_BUILD)
  target_compile_options(mneme_flags INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What another file of the same unit calls its own is not shadowed.
  target_compile_options(mneme_flags INTERFACE -Wshadow=local)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these from inside libstdc++ at -O2 (GCC bugs 105329, 105651, 107852).
  target_compile_options(mneme_flags INTERFACE -Wno-restrict -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A private class may hold what its own .cpp alone knows.
  target_compile_options(mneme_flags INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12's stable_sort calls a function that it has deprecated.
  target_compile_options(mneme_flags INTERFACE -Wno-deprecated-declarations)
endif()
if(MNEME_SANITIZE)
  # CAF binds references to null shared_ptrs (init_fun_factory.hpp). What UBSan knows of the sizes of
  # objects ASan sees as well, and without it the build takes a fifth less. The rest of UBSan is on.
  add_compile_options(-fsanitize=${MNEME_SANITIZE} -fno-sanitize-recover=all
    -fno-sanitize=null,object-size -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MNEME_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/library_findings.txt)
    if(MNEME_SANITIZE MATCHES "address")
      # Frames of functions that have returned are not kept, as with g++: a fifth of the tests' time.
      add_compile_options(-fsanitize-address-use-after-return=never)
    endif()
  endif()
endif()

# mneme_folder(<name> SOURCES ... DEPS ...): the static library mneme_<name> of one folder. DEPS
# point to the left only; the include rule of scripts/ checks the same for #includes.
set(shells actors sim protocol import command server)

function(mneme_folder name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(mneme_${name} STATIC ${arg_SOURCES})
  target_include_directories(mneme_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(mneme_${name} PUBLIC cxx_std_23)
  target_link_libraries(mneme_${name} PUBLIC ${arg_DEPS} PRIVATE $<BUILD_INTERFACE:mneme_flags>)
  if(NOT CMAKE_UNITY_BUILD)
    target_precompile_headers(mneme_${name} PRIVATE <algorithm> <expected> <functional> <map> <memory>
      <optional> <span> <string> <variant> <vector> <fmt/format.h>)
  endif()
  # Under sanitizers the cores decide how long the tests run, the folders above them how long the
  # build does.
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT name IN_LIST shells)
    target_compile_options(mneme_${name} PRIVATE -O1)
  endif()
  # The `check` preset says so with flags of its own.
  if(name IN_LIST shells)
    target_compile_options(mneme_${name} PRIVATE ${MNEME_SHELL_FLAGS})
  endif()
endfunction()
