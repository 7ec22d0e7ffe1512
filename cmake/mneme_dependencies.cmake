# Everything comes from Debian packages; scripts/install-dependencies names them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(roaring REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
pkg_check_modules(wiredtiger REQUIRED IMPORTED_TARGET wiredtiger>=3.2)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)

# libcaf-dev, libhnswlib-dev and libmsgpack-cxx-dev have no package files that can be used.
find_path(CAF_INCLUDE_DIR caf/all.hpp REQUIRED)
find_library(CAF_CORE_LIBRARY caf_core REQUIRED)
find_path(HNSWLIB_INCLUDE_DIR hnswlib/hnswlib.h REQUIRED)
find_path(MSGPACK_INCLUDE_DIR msgpack.hpp REQUIRED)
