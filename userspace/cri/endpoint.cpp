// SPDX-License-Identifier: Apache-2.0
#include "cri/endpoint.h"

#include <sys/un.h>

#include <array>
#include <filesystem>

namespace evictd::cri {

namespace {

/// Relative to the root, as the runtimes' packages set them.
constexpr std::array kUsualSockets{"run/containerd/containerd.sock", "run/crio/crio.sock",
                                   "run/cri-dockerd.sock"};

}  // namespace

std::optional<std::string> socket_path(std::string_view endpoint) {
  constexpr std::string_view kScheme = "unix://";
  if (endpoint.starts_with(kScheme)) {
    endpoint.remove_prefix(kScheme.size());
  }
  if (!endpoint.starts_with('/') || endpoint.size() >= sizeof(sockaddr_un::sun_path)) {
    return std::nullopt;
  }
  return std::string(endpoint);
}

std::string find_socket(std::string_view endpoint, const std::string& root) {
  if (endpoint != "auto") {
    return socket_path(endpoint).value_or("");
  }
  for (const char* const usual : kUsualSockets) {
    std::error_code ignored;
    if (std::filesystem::is_socket(root + usual, ignored)) {
      return root + usual;
    }
  }
  return root + kUsualSockets.front();
}

}  // namespace evictd::cri
