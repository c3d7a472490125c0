// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "evictd/result.h"

namespace evictd::config {

/// The drop-in files of a directory in the order in which the kubelet merges them: files whose name
/// ends in ".conf", those of directories below it included, by name; a directory stands among the
/// files by its own name. What has another name is passed over. A link to a file is followed, one
/// to a directory is not, except that the directory itself may be one. Errors: as opendir(3);
/// kExhausted for more than 1000 entries or 16 levels.
[[nodiscard]] Result<std::vector<std::filesystem::path>> drop_in_files(
    const std::filesystem::path& directory);

}  // namespace evictd::config
