// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/notify.h"
#include "evictd/result.h"

namespace evictd::notify_client {

/// A control file as an argument of cgroup.event_control would name it.
struct ControlFile {
  /// The cgroup's directory.
  std::string directory;
  evictd_notify_signal signal = EVICTD_NOTIFY_USAGE;
};

/// Recognizes a control file of either cgroup version by its name. A cgroup's directory stands for
/// usage. Source: the names that evictd_notify_register_control() documents; for any other name,
/// whether the directory exists.
/// Errors: EINVAL for an unsupported file; ENOENT and others as stat(2).
[[nodiscard]] Result<ControlFile> parse_control_file(const std::string& path);

/// Parses the arguments that cgroup.event_control takes for `signal`. Also accepts a threshold in
/// percent of the limit, "92.5%". Errors: EINVAL.
[[nodiscard]] Result<evictd_notify_watch> parse_control_arguments(evictd_notify_signal signal,
                                                                  std::string_view text);

/// Parses a decimal, hexadecimal (0x) or octal (0) number with an optional suffix K, M, G, T, P or
/// E in powers of 1024; "-1" is the maximum. Errors: EINVAL.
[[nodiscard]] Result<std::uint64_t> parse_amount(std::string_view text);

}  // namespace evictd::notify_client
