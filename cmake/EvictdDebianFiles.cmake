# SPDX-License-Identifier: Apache-2.0
# cpack runs this before it makes the packages: adds to each what Debian's policy asks of a package alone, the changelog
# and the copyright, and compresses manual pages.
find_program(gzip gzip REQUIRED)

# compress(FILE): in place, without name and time in it.
function(compress file)
  execute_process(COMMAND ${gzip} -9 -n -f ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(compress_manual root)
  file(GLOB_RECURSE pages ${root}/usr/share/man/*)
  foreach(page ${pages})
    if(IS_SYMLINK ${page})
      file(READ_SYMLINK ${page} target)
      file(REMOVE ${page})
      file(CREATE_LINK ${target}.gz ${page}.gz SYMBOLIC)
    endif()
  endforeach()
  file(GLOB_RECURSE pages ${root}/usr/share/man/*)
  foreach(page ${pages})
    if(NOT IS_SYMLINK ${page})
      compress(${page})
    endif()
  endforeach()
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  set(documents ${root}/usr/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(MAKE_DIRECTORY ${documents})
  file(COPY ${CPACK_EVICTD_DEBIAN_FILES}/copyright DESTINATION ${documents} NO_SOURCE_PERMISSIONS)
  file(READ ${CPACK_EVICTD_DEBIAN_FILES}/changelog changelog)
  file(WRITE ${documents}/changelog.Debian "${changelog}")
  compress(${documents}/changelog.Debian)
  compress_manual(${root})
endforeach()
