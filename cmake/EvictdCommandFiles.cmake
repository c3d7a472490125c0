# SPDX-License-Identifier: Apache-2.0
# Completion for bash and zsh, and manual pages of subcommands, made at build time from what the programs say with
# --help (scripts/lib/make_command_files.py). A subcommand or option that is added there is in them with the next build.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(EVICTD_COMMAND_FILES ${PROJECT_BINARY_DIR}/command_files)

# evictd_command_files(COMPONENT PROGRAM...)
function(evictd_command_files component)
  set(folder ${EVICTD_COMMAND_FILES}/${component})
  set(programs)
  foreach(program ${ARGN})
    list(APPEND programs $<TARGET_FILE:${program}>)
  endforeach()
  add_custom_command(
    OUTPUT ${folder}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/scripts/lib/make_command_files.py ${folder} ${programs}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/made
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/scripts/lib/make_command_files.py ${PROJECT_SOURCE_DIR}/scripts/lib/command_help.py
    COMMENT "completion and manual pages of ${ARGN}"
    VERBATIM)
  add_custom_target(command_files_of_${component} ALL DEPENDS ${folder}/made)
  install(DIRECTORY ${folder}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
  install(DIRECTORY ${folder}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT ${component})
  install(DIRECTORY ${folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT ${component} OPTIONAL)
endfunction()

evictd_command_files(evictd evictctl evictd evict-load)
if(EVICTD_WEB)
  evictd_command_files(evictd-web evictd-web)
endif()
if(TARGET evictd-kube)
  evictd_command_files(evictd-kube evictd-kube)
endif()
