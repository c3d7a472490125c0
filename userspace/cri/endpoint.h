// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evictd::cri {

/// The path in "/PATH" or "unix:///PATH"; nullopt for anything else, and for a path that is longer
/// than a socket address allows.
[[nodiscard]] std::optional<std::string> socket_path(std::string_view endpoint);

/// The socket path of `endpoint`, which is such a path or "auto". "auto" picks the first existing
/// socket of containerd, CRI-O and cri-dockerd; containerd's if none exists. `root` replaces "/".
[[nodiscard]] std::string find_socket(std::string_view endpoint, const std::string& root = "/");

}  // namespace evictd::cri
