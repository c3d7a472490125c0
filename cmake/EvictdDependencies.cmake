# SPDX-License-Identifier: Apache-2.0
# Every library that is not ours, found once, by name; docs/dependencies.md says what each is for.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(LIBBPF REQUIRED IMPORTED_TARGET libbpf)
pkg_check_modules(LIBSYSTEMD REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(LIBCAP REQUIRED IMPORTED_TARGET libcap)
pkg_check_modules(LIBZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(NCURSESW REQUIRED IMPORTED_TARGET ncursesw)
if(EVICTD_WEB)
  find_package(prometheus-cpp CONFIG REQUIRED)
  pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  pkg_check_modules(LIBSSL REQUIRED IMPORTED_TARGET libssl libcrypto)
endif()

if(EVICTD_KUBE)
  find_package(CURL REQUIRED)
  find_package(Protobuf REQUIRED)
  pkg_check_modules(GRPC REQUIRED IMPORTED_TARGET grpc++)
endif()

if(EVICTD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# Warnings and hardening for our own code only, never for a library's headers.
add_library(evictd_build_flags INTERFACE)
target_compile_options(
  evictd_build_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror
                               $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor -Woverloaded-virtual>)
# Under optimization gcc 12 takes the inactive member of an inlined optional, variant or expected for an
# uninitialized object. clang-tidy (init-variables, member-init) and clang's own analysis stay in charge.
target_compile_options(
  evictd_build_flags
  INTERFACE $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-maybe-uninitialized>)
