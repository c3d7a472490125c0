// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::daemon {

/// A file in a directory of manifests. Its mtime is when the directory's writer last knew that the
/// directory matches its source; 1970 before the first time. evictd-kube writes one.
inline constexpr const char* kConfirmedFile = ".confirmed";

/// The status's "manifests": the age of each directory's content, null if nothing confirms it.
/// Cost: a stat for each directory.
[[nodiscard]] nlohmann::ordered_json manifests_json(const std::vector<std::string>& directories,
                                                    WallTime now);

}  // namespace evictd::daemon
