// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "evictd/result.h"

namespace evictd::daemon {

/// Makes the directory that `socket` is to be in, and those above it, where they are missing: with
/// mode 0755 whatever the umask, for every user may come to such a socket. What is there stays as
/// it is. Errors: as mkdir(2), naming the directory.
[[nodiscard]] Result<> make_socket_directory(const std::filesystem::path& socket);

}  // namespace evictd::daemon
