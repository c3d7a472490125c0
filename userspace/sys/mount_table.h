// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evictd::sys {

/// One line of /proc/self/mountinfo (Documentation/filesystems/proc.rst, 3.5).
struct Mount {
  /// The mounted directory of the filesystem; not "/" for a bind mount of a part.
  std::string root;
  /// Absolute mount point, with the kernel's octal escapes decoded.
  std::string point;
  /// "cgroup", "cgroup2", "ext4".
  std::string type;
  /// Options of the filesystem; a v1 hierarchy names its controllers here.
  std::string super_options;
  /// Major and minor device number, as in st_dev: "259:1". A filesystem without a device has a
  /// unique anonymous number.
  std::string device{};
  /// The mounted device, "/dev/vda1", or any other word.
  std::string source{};
};

/// All mounts in the kernel's order: a later one hides an earlier one at the same point. Lines that
/// do not match the documented format are omitted.
[[nodiscard]] std::vector<Mount> parse_mounts(std::string_view text);

/// The mount that contains the absolute `path`, by text comparison only. It opens nothing, so a
/// hung filesystem cannot block it. nullptr if no mount contains `path`.
[[nodiscard]] const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path);

/// The same mounts: those of whole filesystems first, each group in the kernel's order.
[[nodiscard]] std::vector<Mount> parse_mount_table(std::string_view text);

/// Decodes the kernel's octal escapes. Mount options keep theirs, because an escaped character may
/// be their separator.
[[nodiscard]] std::string unescape(std::string_view text);

/// Splits `text` and omits empty parts. The parts point into `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace evictd::sys
