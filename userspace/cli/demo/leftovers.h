// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "demo/play.h"

namespace evictd::demo {

/// What the names of a demonstration's cgroups and files begin with; its process id follows.
inline constexpr const char* kNamePrefix = "evictd-demo-";

/// Removes cgroups and files that demonstrations left which were killed by SIGKILL, and says so, a
/// line for each. Nothing of one that runs or was told to keep it; nothing in whose cgroups another
/// process than an evict-load is. Needs root.
void remove_leftovers(const std::string& prefix, const Narrator& say);

}  // namespace evictd::demo
