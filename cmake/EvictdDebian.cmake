# SPDX-License-Identifier: Apache-2.0
# Debian packages, one a component of the installation: `scripts/package` builds the preset package and calls cpack.
# Maintainer scripts, changelog and copyright are in deploy/debian; EvictdDebianFiles.cmake adds what only a package has.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME evictd)
set(CPACK_PACKAGE_VENDOR evictd)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/debs)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_THREADS 1)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/EvictdDebianFiles.cmake)
set(CPACK_EVICTD_DEBIAN_FILES ${PROJECT_SOURCE_DIR}/deploy/debian)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "evictd maintainers <maintainers@evictd.org>")
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# evictd_debian_package(COMPONENT PACKAGE TEXT [DEBUG] [DEPENDS D] [SECTION S]): TEXT is one sentence and a paragraph.
# DEBUG: the symbols of its programs become PACKAGE-dbgsym.
set(CPACK_COMPONENTS_ALL)
macro(evictd_debian_package component package sentence text)
  cmake_parse_arguments(arg "DEBUG" "DEPENDS;SECTION" "" ${ARGN})
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${sentence}\n${text}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${sentence}\n${text}")
  if(arg_DEPENDS)
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${arg_DEPENDS}")
  endif()
  if(arg_SECTION)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${arg_SECTION})
  endif()
  if(arg_DEBUG)
    set(CPACK_DEBIAN_${upper}_DEBUGINFO_PACKAGE ON)
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/deploy/debian/${package}/*)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${scripts})
endmacro()

set(this_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
evictd_debian_package(
  evictd evictd "node-pressure pod evictor that is told by the kernel"
  "Ends the pod that the kubelet's rules choose when memory, pids or disk
space of a node run out. BPF programs wake it at the crossing of a
threshold. Where the kernel offers nothing for that it polls."
  DEBUG DEPENDS systemd)
if(TARGET evictd-web)
  evictd_debian_package(
    evictd-web evictd-web "metrics, API and page of evictd over HTTP"
    "Shows what evictd sees, decides and does: metrics for Prometheus, an API,
a stream of events and a page. It listens on 127.0.0.1:9879 unless told
otherwise, and has no privileges."
    DEBUG DEPENDS "evictd (>= ${PROJECT_VERSION})")
endif()
if(TARGET evictd-kube)
  evictd_debian_package(
    evictd-kube evictd-kube "tells evictd which pods a Kubernetes node has"
    "Asks the kubelet or the API server for the pods of the node and writes
them where evictd reads them. It is to be enabled once its configuration
names a server. It has no privileges."
    DEBUG DEPENDS "evictd (>= ${PROJECT_VERSION})")
endif()
evictd_debian_package(
  notify-runtime libevictd-notify0 "eventfds for thresholds of cgroups, shared library"
  "Signals an eventfd when a cgroup crosses a threshold of memory or pids,
on every cgroup version. Programs ask evictd for it, or load the kernel
side themselves."
  DEBUG SECTION libs)
evictd_debian_package(
  notify libevictd-notify-dev "eventfds for thresholds of cgroups, for development"
  "The header, the static library, the manual pages and what pkg-config and
CMake read of libevictd-notify."
  DEPENDS "libevictd-notify0 (= ${this_version})" SECTION libdevel)
set(CPACK_DEBIAN_NOTIFY_PACKAGE_SHLIBDEPS OFF)

include(CPack)
