// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/adoption.h"
#include "daemon/hot_pod.h"
#include "daemon/saved_state.h"
#include "evictd/time.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

/// `saved` is what the state file has of an eviction of `pod`, nullptr for nothing. A pod whose
/// manifest went away keeps the name that the file has of it: itself it is only a uid then.
[[nodiscard]] SavedEviction known_of(const HotPod& pod, const SavedEviction* saved);

/// The record of an eviction that an earlier evictd began and told nobody of, with what is known:
/// who, since when, with which grace, and by the state file for what. Its trigger is "restart".
/// `known` has uid, namespace and name at least.
[[nodiscard]] exporting::EvictionRecord make_adopted_record(const SavedEviction& known,
                                                            const Adoption& adoption, WallTime at);

/// Whether the processes of its pod are not known to be gone or given up.
[[nodiscard]] bool is_open(const exporting::EvictionRecord& record);

/// Whether `record` is of that eviction: of the same pod, begun when it began, and open where the
/// pod has processes. A record is made a moment after what is written on the cgroup.
[[nodiscard]] bool tells_of(const exporting::EvictionRecord& record, const std::string& uid,
                            const Adoption& adoption, MonoTime now);

}  // namespace evictd::daemon
