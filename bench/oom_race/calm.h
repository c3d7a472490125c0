// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// systemd-oomd kills no second process for pressure within this time of the last kill.
inline constexpr Duration kRestOfSystemdOomd = std::chrono::seconds{15};

/// Share of the last ten seconds, in percent, in which all tasks of a cgroup waited for memory.
/// Parses the text of memory.pressure. Errors: kMalformed.
[[nodiscard]] Result<double> full_avg10(std::string_view pressure);

/// Remaining rest after a kill at `last_kill`.
[[nodiscard]] Duration remaining_rest(std::optional<MonoTime> last_kill, MonoTime now);

/// Whether systemd-oomd would judge a hog by that hog alone. Its rest must be over, and the
/// remaining pressure of an earlier hog must be below half of its limit.
[[nodiscard]] bool is_calm(std::optional<MonoTime> last_kill, MonoTime now, double avg10);

/// Waits until is_calm(). `pressure`: memory.pressure of the watched cgroup; a missing file means
/// no pressure yet.
/// Errors: kTimedOut after two minutes; kBusy when the bench is interrupted; kMalformed.
[[nodiscard]] Result<> await_calm(const std::filesystem::path& pressure,
                                  std::optional<MonoTime> last_kill);

}  // namespace evictd::bench
