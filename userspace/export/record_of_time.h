// SPDX-License-Identifier: Apache-2.0
// What a record of a decision has of the time that was left.
#pragma once

#include <cstdint>
#include <optional>

namespace evictd::exporting {

/// Why and how the grace of a hard eviction was or was not cut to what there was time for.
struct RecordedGrace {
  /// What was given, and what would have been, in milliseconds.
  std::int64_t given_ms = 0;
  std::int64_t wanted_ms = 0;
  /// Until the floor or the guard, as the pass knew; unset where it knew nothing.
  std::optional<std::int64_t> time_left_ms;
};

/// What the OOM guard saw: bytes that the kernel could still give, by how much they fell a second,
/// how long they would have lasted (unset while they do not fall), and when it is due.
struct RecordedGuard {
  std::int64_t left = 0;
  std::int64_t rate = 0;
  std::optional<std::int64_t> time_left_ms;
  std::int64_t horizon_ms = 0;
  /// A threshold counted as met because of it.
  bool due = false;
};

}  // namespace evictd::exporting
