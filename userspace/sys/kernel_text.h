// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "evictd/bytes.h"

/// Readers of the small texts of cgroupfs and procfs. None of them allocates or throws; nullopt
/// means that the text is not what the kernel documents, never a default value.
namespace evictd::sys {

/// What "no limit" reads as: "max" on v2; on v1 the largest multiple of the page size or more.
inline constexpr std::int64_t kNoLimit = INT64_MAX;

/// A file that holds one number, or "max": memory.current, pids.max, /proc/sys/kernel/pid_max.
[[nodiscard]] std::optional<std::int64_t> parse_single_number(std::string_view text);

/// The number behind `key` in lines of "key number": memory.stat, cgroup.events. First match wins.
[[nodiscard]] std::optional<std::int64_t> find_stat(std::string_view text, std::string_view key);

/// The value of `key` (without the colon) in /proc/meminfo, which counts in kB of 1024 bytes.
[[nodiscard]] std::optional<Bytes> find_meminfo(std::string_view text, std::string_view key);

/// Tasks that exist: the number behind the '/' in the fourth field of /proc/loadavg.
[[nodiscard]] std::optional<std::int64_t> parse_loadavg_tasks(std::string_view text);

}  // namespace evictd::sys
