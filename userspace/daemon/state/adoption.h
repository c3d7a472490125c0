// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/shared/adoption_terms.h"
#include "daemon/state/saved_state.h"
#include "enforce/inhabitants.h"
#include "enforce/intent.h"
#include "evictd/bytes.h"

namespace evictd::daemon {

/// Whether an eviction in progress may be resumed.
enum class MayEnd {
  kYes,
  kProtected,  ///< Protected now: the protection may be newer than the eviction.
  kDryRun,     ///< This evictd signals no pod, protected or not, and removes no data.
};

/// What is known of a pod when evictd starts.
struct FoundPod {
  enforce::Inhabitants inhabitants;
  /// Read from its cgroup.
  std::optional<enforce::Intent> intent;
  /// Its entry in the state file; nullptr for none.
  const SavedEviction* saved = nullptr;
  MayEnd may_end = MayEnd::kYes;
  /// Number of tasks that its cgroup counts, unreaped dead ones included; -1 for unknown.
  std::int64_t tasks = -1;
  /// Bytes charged to its cgroup, minus inactive page cache; -1 for unknown.
  Bytes charged{-1};
  /// The clock of its moments here, as clock_name() gives it.
  std::string clock{};
};

/// Returns nullopt if no eviction is in progress, or if an immediate kill was never sent; a pass
/// then decides again. An eviction is about the processes that ran when it began, not about later
/// ones. For a pod that cannot be read, its victims count as present; the resumed eviction finds
/// out. An intent of another clock, such as another time namespace's, is ignored. An intent without
/// a clock name is ignored if it has moments in the future. Pure.
[[nodiscard]] std::optional<Adoption> adoption_of(const FoundPod& pod, MonoTime now);

}  // namespace evictd::daemon
