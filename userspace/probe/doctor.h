// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "probe/ladder.h"

namespace evictd::probe {

/// What `evictctl doctor` prints: per purpose the rows in order with the chosen one marked, why the
/// rows above it failed, what is lost, then kernel features and privileges. Several lines, ends
/// with one.
[[nodiscard]] std::string doctor_text(const Ladder& ladder);

/// The same as one JSON object on one line: {"level", "exit_code", "purposes": [...], "kernel":
/// [...], "privileges": [...], "failure"}. Where it is unknown whether a feature or privilege is
/// there, its "present" is null.
[[nodiscard]] std::string doctor_json(const Ladder& ladder);

/// 0 full, 1 degraded, 2 nothing but polling.
[[nodiscard]] int doctor_exit_code(const Ladder& ladder);

}  // namespace evictd::probe
