// SPDX-License-Identifier: Apache-2.0
// The time left and what shortens it, as a decision's record has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evictd::exporting {

/// Whether and why the grace of a hard eviction was cut to the time left.
struct RecordedGrace {
  /// The grace given, and the configured one, in milliseconds.
  std::int64_t given_ms = 0;
  std::int64_t wanted_ms = 0;
  /// Time until the floor or the guard, as known to the pass; unset if unknown.
  std::optional<std::int64_t> time_left_ms;
};

/// The pod because of which a signal fell, and the growth of its memory in bytes a second.
struct RecordedCause {
  std::string ns;
  std::string name;
  std::string uid;
  std::int64_t rate = 0;
};

/// The OOM guard's observation: bytes that the kernel can still allocate, their decrease per
/// second, the time that they last (unset if they do not decrease), and the horizon at which the
/// guard is due.
struct RecordedGuard {
  std::int64_t left = 0;
  std::int64_t rate = 0;
  std::optional<std::int64_t> time_left_ms;
  std::int64_t horizon_ms = 0;
  /// The guard made a threshold count as met.
  bool due = false;
};

}  // namespace evictd::exporting
