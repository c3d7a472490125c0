// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evictd::disk {

/// What a project quota counts.
struct QuotaUsage {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
};

/// Id of the project that new files in the directory belong to; nothing where the filesystem has no
/// projects or the directory has none. Source: FS_IOC_FSGETXATTR.
[[nodiscard]] std::optional<std::uint32_t> project_of(int directory);

/// What the filesystem that `directory` is on counts for a project; nothing where it does not
/// count, or does not tell: it tells CAP_SYS_ADMIN alone. `source` is the block device, for kernels
/// before 5.14, which cannot be asked by a descriptor. Source: quotactl_fd(2) or quotactl(2),
/// Q_XGETQUOTA.
[[nodiscard]] std::optional<QuotaUsage> quota_usage(int directory, std::uint32_t project,
                                                    const std::string& source);

}  // namespace evictd::disk
