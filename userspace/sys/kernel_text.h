// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "evictd/bytes.h"

/// Parsers of the small texts of cgroupfs and procfs. None allocates or throws. nullopt means that
/// the text is not what the kernel documents; it is never a default value.
namespace evictd::sys {

/// What "no limit" parses as: "max" on v2; on v1 the largest multiple of the page size, or more.
inline constexpr std::int64_t kNoLimit = INT64_MAX;

/// Parses all of `text` as a number that is not negative. The kernel never writes a sign or spaces
/// before it.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view text);

/// Takes the first line off `text`, without its line end.
[[nodiscard]] std::string_view next_line(std::string_view& text);

/// Parses a file with one number or "max": memory.current, pids.max, /proc/sys/kernel/pid_max.
[[nodiscard]] std::optional<std::int64_t> parse_single_number(std::string_view text);

/// The number after `key` in "key number" lines: memory.stat, cgroup.events. First match wins.
[[nodiscard]] std::optional<std::int64_t> find_stat(std::string_view text, std::string_view key);

/// The value of `key` (without the colon) in /proc/meminfo, whose kB are 1024 bytes.
[[nodiscard]] std::optional<Bytes> find_meminfo(std::string_view text, std::string_view key);

/// Existing tasks: the number after the '/' in the fourth field of /proc/loadavg.
[[nodiscard]] std::optional<std::int64_t> parse_loadavg_tasks(std::string_view text);

}  // namespace evictd::sys
