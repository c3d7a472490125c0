// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "evictd/notify.h"
#include "evictd/result.h"

namespace evictd::notify_client {

/// A control file as somebody would name it in cgroup.event_control.
struct ControlFile {
  /// Of the cgroup.
  std::string directory;
  evictd_notify_signal signal = EVICTD_NOTIFY_USAGE;
};

/// Tells a control file of either cgroup version from a cgroup's directory, which stands for usage,
/// by its name. Source: the names that evictd_notify_register_control() documents, and the
/// existence of a directory with another one.
/// Errors: EINVAL for a file that nothing listens to; ENOENT and others as stat(2).
[[nodiscard]] Result<ControlFile> parse_control_file(const std::string& path);

/// The arguments that cgroup.event_control takes for `signal`, or a threshold in percent of the
/// limit, "92.5%". Errors: EINVAL.
[[nodiscard]] Result<evictd_notify_watch> parse_control_arguments(evictd_notify_signal signal,
                                                                  std::string_view text);

/// Decimal, hexadecimal (0x) or octal (0), with a suffix K, M, G, T, P or E in powers of 1024; "-1"
/// is the largest. Errors: EINVAL.
[[nodiscard]] Result<std::uint64_t> parse_amount(std::string_view text);

}  // namespace evictd::notify_client
