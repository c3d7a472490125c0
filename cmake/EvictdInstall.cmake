# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where (GNUInstallDirs; the default prefix is /usr/local).
include(GNUInstallDirs)

install(TARGETS evictd RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
install(TARGETS evictctl evict-load RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(DIRECTORY docs/man/man1 docs/man/man3 docs/man/man8 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})

# An example to copy, never a live configuration that an upgrade would overwrite.
install(FILES deploy/evictd.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

configure_file(deploy/evictd.service.in deploy/evictd.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/deploy/evictd.service DESTINATION lib/systemd/system)

# The group that may ask the control socket, for the programs beside evictd.
install(FILES deploy/evictd.service.d/control-socket.conf DESTINATION lib/systemd/system/evictd.service.d)
install(FILES deploy/evictd.sysusers.conf DESTINATION lib/sysusers.d RENAME evictd.conf)

if(TARGET evictd-kube)
  install(TARGETS evictd-kube RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
  install(FILES deploy/evictd-kube.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
  configure_file(deploy/evictd-kube.service.in deploy/evictd-kube.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/deploy/evictd-kube.service DESTINATION lib/systemd/system)
  # Not in force by itself: to be copied to /etc/systemd/system/evictd-kube.service.d.
  install(FILES deploy/evictd-kube.service.d/container-runtime.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
endif()

configure_file(deploy/evictd-notify.service.in deploy/evictd-notify.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/deploy/evictd-notify.service DESTINATION lib/systemd/system)

if(EVICTD_WEB)
  install(TARGETS evictd-web RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR})
  configure_file(deploy/evictd-web.service.in deploy/evictd-web.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/deploy/evictd-web.service DESTINATION lib/systemd/system)
endif()
