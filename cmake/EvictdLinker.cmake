# SPDX-License-Identifier: Apache-2.0
# Links with lld where it is installed: a test program with the sanitizers takes a quarter of the time, and the
# tests are some seventy programs. -DEVICTD_LLD=OFF, or a linker of your own in CMAKE_EXE_LINKER_FLAGS, does without.
option(EVICTD_LLD "link with lld if it is installed" ON)

find_program(EVICTD_LLD_PROGRAM NAMES ld.lld DOC "LLVM's linker")
mark_as_advanced(EVICTD_LLD_PROGRAM)
if(EVICTD_LLD AND EVICTD_LLD_PROGRAM AND NOT "${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fuse-ld=")
  add_link_options(-fuse-ld=lld)
endif()
