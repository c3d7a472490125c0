# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where (GNUInstallDirs; the default prefix is /usr/local). A component is a Debian package
# (EvictdDebian.cmake).
include(GNUInstallDirs)

install(TARGETS evictd RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT evictd)
install(TARGETS evictctl evict-load RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT evictd)

install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT evictd PATTERN man EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})

# An example to copy, never a live configuration that an upgrade would overwrite.
install(FILES deploy/evictd.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT evictd)

# evictd_install_unit(NAME COMPONENT)
function(evictd_install_unit name component)
  configure_file(deploy/${name}.service.in deploy/${name}.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/deploy/${name}.service DESTINATION lib/systemd/system COMPONENT ${component})
endfunction()

evictd_install_unit(evictd evictd)
evictd_install_unit(evictd-notify evictd)

# The group that may ask the control socket, for the programs beside evictd.
install(FILES deploy/evictd.service.d/control-socket.conf DESTINATION lib/systemd/system/evictd.service.d COMPONENT evictd)
# Not in force by itself: to be copied to /etc/systemd/system/evictd.service.d.
install(FILES deploy/evictd.service.d/without-sys-admin.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT evictd)
install(FILES deploy/evictd.sysusers.conf DESTINATION lib/sysusers.d COMPONENT evictd RENAME evictd.conf)

if(TARGET evictd-kube)
  install(TARGETS evictd-kube RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT evictd-kube)
  install(FILES deploy/evictd-kube.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT evictd-kube)
  evictd_install_unit(evictd-kube evictd-kube)
  # Not in force by itself: to be copied to /etc/systemd/system/evictd-kube.service.d.
  install(FILES deploy/evictd-kube.service.d/container-runtime.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
          COMPONENT evictd-kube)
endif()

if(EVICTD_WEB)
  install(TARGETS evictd-web RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT evictd-web)
  evictd_install_unit(evictd-web evictd-web)
endif()

# Of a package alone, by its component: a configuration that is in force.
foreach(name evictd evictd-kube)
  if(TARGET ${name})
    install(FILES deploy/${name}.yaml DESTINATION /etc/evictd COMPONENT ${name} EXCLUDE_FROM_ALL)
  endif()
endforeach()
