// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probe/ladder.h"

namespace evictd::probe {

/// How notifications are hooked (docs/notify.md), which have kernel programs of their own: no
/// purpose of the evictor.
struct NotifyHooks {
  /// All rows in order; empty leaves notifications out.
  std::vector<RowReport> rows;
  /// What is lost against the first row, empty if nothing.
  std::string lost;
  /// evictd is to serve them: what is lost counts. Else it is only told.
  bool wanted = false;
};

/// What `evictctl doctor` prints: per purpose the rows in order with the chosen one marked, why the
/// rows above it failed, what is lost, then kernel features and privileges. Several lines, ends
/// with one.
[[nodiscard]] std::string doctor_text(const Ladder& ladder, const NotifyHooks& notify = {});

/// The same as one JSON object on one line: {"level", "exit_code", "purposes": [...], "kernel":
/// [...], "privileges": [...], "failure"}. Where it is unknown whether a feature or privilege is
/// there, its "present" is null. "level" is full, degraded, poll-only or unusable; with the last
/// "lost" is empty, for nothing takes the place of what is missing. The last of "purposes" is
/// "notify"; it alone has "counts", whether "level" and "exit_code" depend on it.
[[nodiscard]] std::string doctor_json(const Ladder& ladder, const NotifyHooks& notify = {});

/// 0 full, 1 degraded (also by notifications that are wanted), 2 nothing but polling, or unusable.
[[nodiscard]] int doctor_exit_code(const Ladder& ladder, const NotifyHooks& notify = {});

}  // namespace evictd::probe
