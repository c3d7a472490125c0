// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/keys.h"

namespace evictd::config {

/// The keys of the process itself: priority, memory, files, log, records, faults for tests.
[[nodiscard]] std::vector<Key> process_keys();

}  // namespace evictd::config
