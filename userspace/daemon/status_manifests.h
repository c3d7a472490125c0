// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evictd/time.h"

namespace evictd::daemon {

/// In a directory of manifests: its mtime is when whoever keeps the directory last knew that it
/// says what its source says; 1970 until it first knew. evictd-kube has one.
inline constexpr const char* kConfirmedFile = ".confirmed";

/// status's "manifests": how old what each directory says is, null where nobody tells.
/// Cost: a stat a directory.
[[nodiscard]] nlohmann::ordered_json manifests_json(const std::vector<std::string>& directories,
                                                    WallTime now);

}  // namespace evictd::daemon
