// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/keys.h"

namespace evictd::config {

/// The keys for filesystems, local storage of pods and node-level reclaim, in the order of
/// docs/configuration.md.
[[nodiscard]] std::vector<Key> storage_keys();

}  // namespace evictd::config
