// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"

namespace evictd::daemon {

/// Creates the directory for `socket`, and its parents, if missing: with mode 0755 whatever the
/// umask, because every user may open such a socket. Existing directories stay as they are. Errors:
/// as mkdir(2), naming the directory.
[[nodiscard]] Result<> make_socket_directory(const std::filesystem::path& socket);

}  // namespace evictd::daemon
