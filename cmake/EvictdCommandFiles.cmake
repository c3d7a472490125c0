# SPDX-License-Identifier: Apache-2.0
# Completion for bash and zsh, and manual pages, made at build time from what the programs say with
# --help (scripts/lib/make_command_files.py). A subcommand or option that is added there is in them with the next build.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# What --help does not say of them.
file(GLOB begun CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/man[18]/*.[18])
set(EVICTD_COMMAND_FILES ${PROJECT_BINARY_DIR}/command_files)

# evictd_runnable(PATH PROGRAM): where PROGRAM can be run from; a script of the same name where it needs an emulator.
function(evictd_runnable path program)
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    set(script ${PROJECT_BINARY_DIR}/emulated/${program})
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    file(GENERATE OUTPUT ${script} CONTENT "#!/bin/sh\nexec ${emulator} $<TARGET_FILE:${program}> \"$@\"\n"
         FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    set(${path} ${script} PARENT_SCOPE)
  else()
    set(${path} $<TARGET_FILE:${program}> PARENT_SCOPE)
  endif()
endfunction()

# evictd_command_files(COMPONENT PROGRAM...)
function(evictd_command_files component)
  set(folder ${EVICTD_COMMAND_FILES}/${component})
  set(programs)
  foreach(program ${ARGN})
    evictd_runnable(runnable ${program})
    list(APPEND programs ${runnable})
  endforeach()
  add_custom_command(
    OUTPUT ${folder}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/scripts/lib/make_command_files.py ${folder} ${programs}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/made
    DEPENDS ${ARGN} ${begun} ${PROJECT_SOURCE_DIR}/scripts/lib/make_command_files.py ${PROJECT_SOURCE_DIR}/scripts/lib/command_help.py
    COMMENT "completion and manual pages of ${ARGN}"
    VERBATIM)
  add_custom_target(command_files_of_${component} ALL DEPENDS ${folder}/made)
  install(DIRECTORY ${folder}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
  install(DIRECTORY ${folder}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT ${component})
  foreach(section man1 man8)
    install(DIRECTORY ${folder}/${section} DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT ${component} OPTIONAL)
  endforeach()
endfunction()

evictd_command_files(evictd evictctl evictd evict-load)
if(EVICTD_WEB)
  evictd_command_files(evictd-web evictd-web)
endif()
if(TARGET evictd-kube)
  evictd_command_files(evictd-kube evictd-kube)
endif()
