// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "evictd/abi/notify_terms.h"
#include "evictd/cgroup_id.h"

namespace evictd::notify {

/// Identifies a registration: never 0, never reused by one Engine.
using RegistrationId = std::uint64_t;

/// A listener's request, in the terms of evictd/abi/notify_terms.h.
struct Terms {
  evictd_notify_signal signal = EVICTD_NOTIFY_USAGE;
  evictd_notify_unit unit = EVICTD_NOTIFY_ABSOLUTE;
  evictd_notify_direction direction = EVICTD_NOTIFY_BOTH;
  /// PRESSURE only.
  evictd_notify_mode mode = EVICTD_NOTIFY_DEFAULT;
  /// In `unit`; PRESSURE: an evictd_notify_level.
  std::uint64_t threshold = 0;
  /// In `unit`, at most `threshold`.
  std::uint64_t hysteresis = 0;
};

/// The numbers of a request as received; they may be invalid.
struct Words {
  std::uint32_t signal = 0;
  std::uint32_t unit = 0;
  std::uint32_t direction = 0;
  std::uint32_t mode = 0;
};

/// Decodes the numbers; nullopt if one of them is undefined. check_terms() decides whether the
/// combination is allowed.
[[nodiscard]] std::optional<Terms> terms_of(const Words& words, std::uint64_t threshold,
                                            std::uint64_t hysteresis);

/// PRESSURE and OOM are events; every other signal is a value with thresholds.
[[nodiscard]] constexpr bool has_value(evictd_notify_signal signal) {
  return signal != EVICTD_NOTIFY_PRESSURE && signal != EVICTD_NOTIFY_OOM;
}

/// One value that several listeners may share.
struct LevelKey {
  CgroupId cgroup;
  evictd_notify_signal signal = EVICTD_NOTIFY_USAGE;
  evictd_notify_unit unit = EVICTD_NOTIFY_ABSOLUTE;

  constexpr auto operator<=>(const LevelKey&) const = default;
};

/// Rounds allowed `terms` as the kernel compares them: thresholds of USAGE and MEMSW in bytes are
/// rounded down to whole pages, as in v1. Source: mm/page_counter.c, page_counter_memparse().
[[nodiscard]] Terms in_whole_pages(Terms terms, std::uint64_t page_bytes);

/// Whether `terms` are allowed: 0 or EINVAL.
[[nodiscard]] int check_terms(const Terms& terms);

}  // namespace evictd::notify
