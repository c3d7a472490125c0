// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evictd::cri {

/// The path in "/PATH" or "unix:///PATH"; nullopt for anything else, and for a path that is longer
/// than the address of a socket.
[[nodiscard]] std::optional<std::string> socket_path(std::string_view endpoint);

/// The socket of `endpoint`, which is such a path or "auto": then that of containerd, CRI-O or
/// cri-dockerd, the first that is there, or where none is that of containerd. `root` stands for
/// "/".
[[nodiscard]] std::string find_socket(std::string_view endpoint, const std::string& root = "/");

}  // namespace evictd::cri
