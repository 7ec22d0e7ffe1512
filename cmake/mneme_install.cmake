# `cmake --install BUILD --prefix DIR`: the command, the headers of include/mneme, the libraries, and
# what find_package(mneme) needs. The folders' own headers stay private.
include(CMakePackageConfigHelpers)

set(mneme_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mneme)

# What a host links: mneme::mneme, and mneme::remote_embedder for worlds whose embedder is behind an
# endpoint, mneme::postgres_log for worlds on a log in PostgreSQL; or mneme::verifier alone.
add_library(mneme_engine INTERFACE)
target_link_libraries(mneme_engine INTERFACE mneme_actors)
add_library(mneme::mneme ALIAS mneme_engine)
add_library(mneme::verifier ALIAS mneme_verifier)
add_library(mneme::remote_embedder ALIAS mneme_network)
add_library(mneme::postgres_log ALIAS mneme_postgres)
set_target_properties(mneme_engine PROPERTIES EXPORT_NAME mneme)
set_target_properties(mneme_verifier PROPERTIES EXPORT_NAME verifier)
set_target_properties(mneme_network PROPERTIES EXPORT_NAME remote_embedder)
set_target_properties(mneme_postgres PROPERTIES EXPORT_NAME postgres_log)

install(TARGETS mneme_engine mneme_actors mneme_query mneme_state mneme_views mneme_index mneme_journal
    mneme_verifier mneme_storage mneme_messages
  EXPORT mneme_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Components: only who asks for them needs libcurl, and libpq.
install(TARGETS mneme_network EXPORT mneme_remote_embedder
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS mneme_postgres EXPORT mneme_postgres_log
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT mneme_targets NAMESPACE mneme:: DESTINATION ${mneme_config_dir})
install(EXPORT mneme_remote_embedder NAMESPACE mneme:: DESTINATION ${mneme_config_dir})
install(EXPORT mneme_postgres_log NAMESPACE mneme:: DESTINATION ${mneme_config_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mneme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
if(TARGET mneme_library)
  install(TARGETS mneme_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET mneme)
  install(TARGETS mneme RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/LICENSES.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(PROGRAMS ${PROJECT_SOURCE_DIR}/python/mneme/proof.py
  DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME mneme-verify-proof OPTIONAL)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mnemeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/mnemeConfig.cmake INSTALL_DESTINATION ${mneme_config_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mnemeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mnemeConfig.cmake ${PROJECT_BINARY_DIR}/mnemeConfigVersion.cmake
  DESTINATION ${mneme_config_dir})
