# SPDX-License-Identifier: Apache-2.0
# What a program of somebody else needs to use libevictd-notify: the library, its headers, a pkg-config file
# and a CMake package (component notify); what its users need at run time (notify-runtime).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS evictd_notify_shared evictd_notify_static
        EXPORT evictd-notifyTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT notify-runtime NAMELINK_COMPONENT notify
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT notify
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/evictd/notify.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/evictd COMPONENT notify)
install(FILES include/evictd/abi/notify_terms.h include/evictd/abi/notify_wire.h include/evictd/abi/types.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/evictd/abi
        COMPONENT notify)
install(DIRECTORY docs/man/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT notify)

# Found from where the file is, because the prefix may be chosen as late as at installation.
file(RELATIVE_PATH EVICTD_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/evictd-notify.pc.in notify_package/evictd-notify.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/notify_package/evictd-notify.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT notify)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/evictd-notify)
install(EXPORT evictd-notifyTargets NAMESPACE evictd:: DESTINATION ${package} COMPONENT notify)
configure_package_config_file(cmake/evictd-notifyConfig.cmake.in notify_package/evictd-notifyConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(notify_package/evictd-notifyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/notify_package/evictd-notifyConfig.cmake
              ${PROJECT_BINARY_DIR}/notify_package/evictd-notifyConfigVersion.cmake
        DESTINATION ${package}
        COMPONENT notify)
