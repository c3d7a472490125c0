// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "evictd/result.h"

namespace evictd::config {

/// Returns the drop-in files of a directory in the order in which the kubelet merges them. These
/// are the files with a name ending in ".conf", also in subdirectories, sorted by name. A
/// subdirectory sorts among the files by its own name. Other names are skipped. A symbolic link to
/// a file is followed. One to a directory is not, except that `directory` itself may be a link.
/// Errors: as opendir(3); kExhausted for more than 1000 entries or 16 levels.
[[nodiscard]] Result<std::vector<std::filesystem::path>> drop_in_files(
    const std::filesystem::path& directory);

}  // namespace evictd::config
