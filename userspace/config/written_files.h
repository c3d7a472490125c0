// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/sources.h"
#include "evictd/result.h"

namespace evictd::config {

/// A file that evictd creates or writes, and the key that sets its path.
struct WrittenFile {
  std::string key;
  std::string path;
};

/// All files that these settings make evictd write, rename targets included.
[[nodiscard]] std::vector<WrittenFile> written_files(const Settings& settings);

/// Checks the path of `option` (evictd's --record). It refuses a path where the file, or FILE.1, to
/// which an earlier file is renamed, is another file of evictd: one that it writes, or a
/// configuration that it reads. It also refuses a path that exists and is not a regular file. Paths
/// are compared as text, made absolute. Errors: kInvalid, naming the option, the path and its
/// owner.
[[nodiscard]] Result<> check_recording_path(std::string_view option, const std::string& path,
                                            const Settings& settings, const Sources& sources);

}  // namespace evictd::config
