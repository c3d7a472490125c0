# SPDX-License-Identifier: Apache-2.0
# Compiles the kernel programs. Needs clang, bpftool and the pinned headers in vmlinux/; nothing of the
# running kernel.

find_program(EVICTD_BPF_CLANG NAMES clang clang-19 clang-16 clang-14 REQUIRED
             DOC "clang that compiles bpf/")
find_program(EVICTD_BPFTOOL NAMES bpftool PATHS /usr/sbin REQUIRED DOC "bpftool that links and makes the skeleton")

# evictd_bpf_objects(OBJECTS ARCHITECTURE FOLDER DEFINITION a.bpf.c b.bpf.c)
#
# Compiles each source for x86_64 or arm64 into FOLDER, with DEFINITION unless it is empty, and sets OBJECTS to what
# they become.
function(evictd_bpf_objects objects architecture folder definition)
  if(architecture STREQUAL x86_64)
    set(bpf_arch x86)
  else()
    set(bpf_arch ${architecture})
  endif()
  set(vmlinux ${PROJECT_SOURCE_DIR}/vmlinux/${architecture})
  set(made)
  if(definition)
    set(definition -D${definition})
  endif()
  foreach(source IN LISTS ARGN)
    get_filename_component(stem ${source} NAME_WE)
    set(object ${folder}/${stem}.bpf.o)
    # -mcpu=v3: 32-bit operations, and atomics that return a value, which kernels have since 5.12.
    add_custom_command(
      OUTPUT ${object}
      COMMAND
        ${EVICTD_BPF_CLANG} -target bpf -mcpu=v3 -D__TARGET_ARCH_${bpf_arch} -g -O2 -std=gnu11
        -Wall -Wextra -Werror -Wno-unused-parameter -Wno-address-of-packed-member
        -isystem ${vmlinux} -I ${PROJECT_SOURCE_DIR}/include ${definition}
        -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${source} ${vmlinux}/vmlinux.h
      DEPFILE ${object}.d
      COMMENT "BPF ${source} for ${architecture}"
      VERBATIM)
    list(APPEND made ${object})
  endforeach()
  set(${objects} ${made} PARENT_SCOPE)
endfunction()

# evictd_bpf_link(LINKED COMMENT object...): one object of several.
function(evictd_bpf_link linked comment)
  add_custom_command(
    OUTPUT ${linked}
    COMMAND ${EVICTD_BPFTOOL} gen object ${linked} ${ARGN}
    DEPENDS ${ARGN}
    COMMENT ${comment}
    VERBATIM)
endfunction()

# Compiles and links every kernel program for the other architecture too; not part of a whole build.
add_custom_target(bpf-arm64)

# evictd_bpf_skeleton(TARGET NAME evictd_bpf [DEFINITION D] SOURCES a.bpf.c b.bpf.c)
#
# Compiles each source to BPF, links them into one object (weak maps and extern variables are shared) and
# makes TARGET, an interface library whose users can include "NAME.skel.h". The linked object is
# ${CMAKE_CURRENT_BINARY_DIR}/NAME.bpf.o, for tests that read its BTF. That of arm64 is arm64/NAME.bpf.o there,
# made by the target bpf-arm64.
function(evictd_bpf_skeleton target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;DEFINITION" "SOURCES")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(architecture x86_64)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(architecture arm64)
  else()
    message(FATAL_ERROR "no vmlinux header for ${CMAKE_SYSTEM_PROCESSOR}; scripts/vmlinux makes them")
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME})
  file(MAKE_DIRECTORY ${folder})
  evictd_bpf_objects(objects ${architecture} ${folder} "${arg_DEFINITION}" ${arg_SOURCES})
  set(linked ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.bpf.o)
  evictd_bpf_link(${linked} "BPF ${arg_NAME}: link" ${objects})

  set(arm64 ${CMAKE_CURRENT_BINARY_DIR}/arm64)
  file(MAKE_DIRECTORY ${arm64})
  file(MAKE_DIRECTORY ${arm64}/${arg_NAME})
  evictd_bpf_objects(arm64_objects arm64 ${arm64}/${arg_NAME} "${arg_DEFINITION}" ${arg_SOURCES})
  evictd_bpf_link(${arm64}/${arg_NAME}.bpf.o "BPF ${arg_NAME} for arm64: link" ${arm64_objects})
  add_custom_target(${target}_arm64 DEPENDS ${arm64}/${arg_NAME}.bpf.o)
  add_dependencies(bpf-arm64 ${target}_arm64)

  set(skeleton ${CMAKE_CURRENT_BINARY_DIR}/include/${arg_NAME}.skel.h)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/include)
  # The output of a failed bpftool must not stay behind and look up to date.
  add_custom_command(
    OUTPUT ${skeleton}
    COMMAND sh -c "'${EVICTD_BPFTOOL}' gen skeleton '${linked}' name '${arg_NAME}' > '${skeleton}.new' && mv '${skeleton}.new' '${skeleton}'"
    DEPENDS ${linked}
    COMMENT "BPF ${arg_NAME}: skeleton"
    VERBATIM)
  add_custom_target(${target}_files DEPENDS ${skeleton})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_files)
  # SYSTEM: the skeleton is generated C, to which our warnings do not apply.
  target_include_directories(${target} SYSTEM INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/include)
endfunction()
