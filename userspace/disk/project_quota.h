// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evictd::disk {

/// Usage counted by a project quota.
struct QuotaUsage {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
};

/// Id of the project of new files in the directory; nullopt if the filesystem or the directory has
/// no project. Source: FS_IOC_FSGETXATTR.
[[nodiscard]] std::optional<std::uint32_t> project_of(int directory);

/// Usage of a project on the filesystem of `directory`; nullopt if it does not count, or without
/// CAP_SYS_ADMIN. `source`: the block device, for kernels before 5.14, which lack quotactl_fd(2).
/// Source: quotactl_fd(2) or quotactl(2), Q_XGETQUOTA.
[[nodiscard]] std::optional<QuotaUsage> quota_usage(int directory, std::uint32_t project,
                                                    const std::string& source);

}  // namespace evictd::disk
