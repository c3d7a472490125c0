// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "demo/play.h"

namespace evictd::demo {

/// Prefix of the names of a demonstration's cgroups and files; its process id follows.
inline constexpr const char* kNamePrefix = "evictd-demo-";

/// Removes cgroups and files of demonstrations that were killed by SIGKILL, and prints a line for
/// each. Skips running demonstrations, those told to keep their files, and those whose cgroups
/// contain a process other than an evict-load. Needs root.
void remove_leftovers(const std::string& prefix, const Narrator& say);

}  // namespace evictd::demo
