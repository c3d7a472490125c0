// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// systemd-oomd takes no second process for pressure within so long of the last one.
inline constexpr Duration kRestOfSystemdOomd = std::chrono::seconds{15};

/// The share of the last ten seconds, in percent, in which all of a cgroup waited for memory, from
/// the text of its memory.pressure. Errors: kMalformed.
[[nodiscard]] Result<double> full_avg10(std::string_view pressure);

/// How long the rest after a kill at `last_kill` still lasts.
[[nodiscard]] Duration rest_left(std::optional<MonoTime> last_kill, MonoTime now);

/// Whether systemd-oomd would judge a hog by that hog alone: its rest is over, and what is left of
/// the pressure of an earlier one is below half of its limit.
[[nodiscard]] bool is_calm(std::optional<MonoTime> last_kill, MonoTime now, double avg10);

/// Rests until then. `pressure`: memory.pressure of the cgroup that is watched; without that file
/// there was no pressure yet.
/// Errors: kTimedOut after two minutes; kBusy when the bench is interrupted; kMalformed.
[[nodiscard]] Result<> await_calm(const std::filesystem::path& pressure,
                                  std::optional<MonoTime> last_kill);

}  // namespace evictd::bench
