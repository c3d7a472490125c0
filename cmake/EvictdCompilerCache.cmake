# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed, in such a way that clones of the project in other places
# share what is cached: paths below the source tree are taken relative to it. -DEVICTD_CCACHE=OFF, or a
# launcher of your own, does without.
option(EVICTD_CCACHE "compile through ccache if it is installed" ON)

find_program(EVICTD_CCACHE_PROGRAM NAMES ccache DOC "compiler cache")
mark_as_advanced(EVICTD_CCACHE_PROGRAM)
if(EVICTD_CCACHE AND EVICTD_CCACHE_PROGRAM)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
          ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
          ${EVICTD_CCACHE_PROGRAM})
    endif()
  endforeach()
endif()
