// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "enforce/kill_target.h"
#include "evictd/time.h"

namespace evictd::enforce {

/// That a pod is to be ended with a grace, written down on its own cgroup before it is sent
/// SIGTERM: the extended attribute trusted.evictd of its file of charged bytes. It lives exactly as
/// long as the cgroup, outlives whoever wrote it, and costs one system call that touches no disk,
/// so that the hot thread may write it.
struct Intent {
  /// A hard threshold asked for it, or a soft one.
  bool hard = true;
  MonoTime began_at{};
  MonoTime kill_due_at{};

  bool operator==(const Intent&) const = default;
};

/// False where the kernel has no such attributes for cgroups, or the target no descriptor.
bool write_intent(const KillTarget& target, const Intent& intent);
/// Nothing if there is none, or what is there is not ours.
[[nodiscard]] std::optional<Intent> read_intent(const KillTarget& target);
void clear_intent(const KillTarget& target);

}  // namespace evictd::enforce
