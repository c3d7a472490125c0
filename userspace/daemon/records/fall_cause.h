// SPDX-License-Identifier: Apache-2.0
// Because of which pod a signal falls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/hot/hot_pod.h"
#include "daemon/shared/pass_copy.h"
#include "eviction/signal.h"
#include "export/record_of_time.h"

namespace evictd::daemon {

/// A pod and the growth of its memory.
struct GrowingPod {
  const HotPod* pod = nullptr;
  std::int64_t bytes_per_second = 0;
};

/// The pods of a pass, with their growth as it was then.
[[nodiscard]] std::vector<GrowingPod> pods_of(const PassCopy& pass);

/// The one of `pods` because of which `signal` falls by `rate` a second, of those that its limit
/// counts; see eviction::cause_of_fall(). Always nullopt for tasks and disks: nothing measures how
/// fast a pod takes them.
[[nodiscard]] std::optional<exporting::RecordedCause> because_of(std::span<const GrowingPod> pods,
                                                                 eviction::Signal signal,
                                                                 std::int64_t rate);

}  // namespace evictd::daemon
