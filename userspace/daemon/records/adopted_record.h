// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/hot/hot_pod.h"
#include "daemon/state/adoption.h"
#include "daemon/state/saved_state.h"
#include "evictd/time.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

/// Completes `saved`, the state file's entry of an eviction of `pod`; nullptr for none. If the
/// pod's manifest is gone, the pod itself is only a uid. It then keeps the name in the file.
[[nodiscard]] SavedEviction known_of(const HotPod& pod, const SavedEviction* saved);

/// Builds the record of an eviction that an earlier evictd began and never recorded. It has what is
/// known: pod, start, grace period, and from the state file the reason. Its trigger is "restart".
/// `known` has at least uid, namespace and name.
[[nodiscard]] exporting::EvictionRecord make_adopted_record(const SavedEviction& known,
                                                            const Adoption& adoption, WallTime at);

/// Whether the pod's processes may still exist and evictd has not given up on them.
[[nodiscard]] bool is_open(const exporting::EvictionRecord& record);

/// Whether `record` is of the eviction of this pod that began at that time; if the pod has
/// processes, the record must be open too. A record is made a moment after the intent is written to
/// the cgroup.
[[nodiscard]] bool is_record_of(const exporting::EvictionRecord& record, const std::string& uid,
                                const Adoption& adoption, MonoTime now);

}  // namespace evictd::daemon
