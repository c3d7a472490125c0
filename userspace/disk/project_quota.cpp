// SPDX-License-Identifier: Apache-2.0
#include "disk/project_quota.h"

#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/quota.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace evictd::disk {

namespace {

/// Kind of quota, from linux/quota.h, which cannot be included beside sys/quota.h.
constexpr int kProjectQuota = 2;

/// d_bcount is in basic blocks.
constexpr std::uint64_t kBasicBlock = 512;

}  // namespace

std::optional<std::uint32_t> project_of(int directory) {
  fsxattr attributes{};
  if (::ioctl(directory, FS_IOC_FSGETXATTR, &attributes) != 0 || attributes.fsx_projid == 0 ||
      (attributes.fsx_xflags & FS_XFLAG_PROJINHERIT) == 0) {
    return std::nullopt;
  }
  return attributes.fsx_projid;
}

std::optional<QuotaUsage> quota_usage(int directory, std::uint32_t project,
                                      const std::string& source) {
  constexpr int kCommand = QCMD(Q_XGETQUOTA, kProjectQuota);
  fs_disk_quota quota{};
  // The device may have no node here: /dev/root, or a private /dev as units and containers have.
  long asked = ::syscall(SYS_quotactl_fd, directory, kCommand, project, &quota);
  // A system call filter that rejects this call may accept the other one.
  if (asked != 0 && (errno == ENOSYS || errno == EPERM) && !source.empty()) {
    asked = ::quotactl(kCommand, source.c_str(), static_cast<int>(project),
                       reinterpret_cast<caddr_t>(&quota));
  }
  if (asked != 0) {
    return std::nullopt;
  }
  return QuotaUsage{.bytes = quota.d_bcount * kBasicBlock, .inodes = quota.d_icount};
}

}  // namespace evictd::disk
