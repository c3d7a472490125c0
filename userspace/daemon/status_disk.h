// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "disk/filesystems.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// The field "filesystems" of the status: one entry a filesystem, with what it serves.
[[nodiscard]] nlohmann::ordered_json filesystems_json(const disk::Filesystems& filesystems,
                                                      MonoTime now);
/// The field "disk_layout".
[[nodiscard]] nlohmann::ordered_json layout_json(eviction::DiskLayout layout);

}  // namespace evictd::daemon
