// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probe/ladder.h"

namespace evictd::probe {

/// Hooks of notifications (docs/notify.md). These have their own kernel programs and are not a
/// purpose of the evictor.
struct NotifyHooks {
  /// All rows in order; empty omits notifications.
  std::vector<RowReport> rows;
  /// What is lost compared with the first row; empty if nothing.
  std::string lost;
  /// evictd is to serve them: losses affect the result. Otherwise they are only printed.
  bool wanted = false;
};

/// Output of `evictctl doctor`. Per purpose: the rows in order with the chosen one marked, why the
/// rows above it failed, what is lost. Then kernel features and privileges. Several lines, with a
/// final line end.
[[nodiscard]] std::string doctor_text(const Ladder& ladder, const NotifyHooks& notify = {});

/// The same as one JSON object on one line: {"level", "exit_code", "purposes": [...], "kernel":
/// [...], "privileges": [...], "failure"}. "present" of a feature or privilege is null if unknown.
/// "level" is full, degraded, poll-only or unusable. With unusable, "lost" is empty, because
/// nothing replaces what is missing. The last of "purposes" is "notify". Only it has "counts":
/// whether "level" and "exit_code" depend on it.
[[nodiscard]] std::string doctor_json(const Ladder& ladder, const NotifyHooks& notify = {});

/// 0: full. 1: degraded, also by wanted notifications. 2: only polling, or unusable.
[[nodiscard]] int doctor_exit_code(const Ladder& ladder, const NotifyHooks& notify = {});

}  // namespace evictd::probe
