// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/sources.h"
#include "evictd/result.h"

namespace evictd::config {

/// A file that evictd makes or writes, and the key that says where.
struct WrittenFile {
  std::string key;
  std::string path;
};

/// All that these settings have written, files that others are renamed to included.
[[nodiscard]] std::vector<WrittenFile> written_files(const Settings& settings);

/// Refuses a path of `option` (evictd's --record) where the file, or FILE.1 to which an earlier one
/// is renamed, is another file of evictd: one that it writes, or a configuration that it reads; or
/// is there and no regular file. Paths are compared as texts, made absolute. Errors: kInvalid,
/// naming the option, the path and whose it is.
[[nodiscard]] Result<> check_recording_path(std::string_view option, const std::string& path,
                                            const Settings& settings, const Sources& sources);

}  // namespace evictd::config
