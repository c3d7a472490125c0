// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "daemon/storage/storage_keeping.h"
#include "disk/filesystems.h"
#include "disk/pod_storage.h"
#include "evictd/time.h"
#include "eviction/compat.h"

namespace evictd::daemon {

/// The field "filesystems" of the status: one entry for each filesystem, with its roles for a
/// kubelet of `compat`. The 1.26 kubelet has no containerfs.
[[nodiscard]] nlohmann::ordered_json filesystems_json(const disk::Filesystems& filesystems,
                                                      eviction::Compat compat, MonoTime now);
/// The names of those `roles` that it has.
[[nodiscard]] nlohmann::ordered_json roles_json(const std::vector<disk::Role>& roles,
                                                eviction::Compat compat);
/// The field "storage" of a pod; null without a measurement.
[[nodiscard]] nlohmann::ordered_json storage_json(const disk::PodStorage* storage, MonoTime now);
/// The counters of measurements and collectors.
[[nodiscard]] nlohmann::ordered_json storage_counters_json(const StorageKeeping& keeping);
/// The field "disk_layout".
[[nodiscard]] nlohmann::ordered_json layout_json(eviction::DiskLayout layout);

}  // namespace evictd::daemon
